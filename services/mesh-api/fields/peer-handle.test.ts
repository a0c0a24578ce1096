import { requirement } from '@causeway/test/requirements'
import { expect, it } from 'vitest'
import { peerHandle } from './peer-handle.ts'

const GOOD = 'bciqj6hzzzgs3tczvxwp4d2vjttmevivmqgfkh4mh7ujkzv2gt6gg75i'

it(`${requirement('PH-004')} a handle in a resource is lower-case base32 with multibase prefix b, nothing else`, () => {
  expect(peerHandle().safeParse(GOOD).success).toBe(true)
  const bad = {
    'upper case': GOOD.toUpperCase(),
    'another multibase': `z${GOOD.slice(1)}`,
    'another multihash': `bciz${GOOD.slice(4)}`,
    'a digest of another length': `bciqz${GOOD.slice(5)}`,
    'one character less': GOOD.slice(0, -1),
    'one more': `${GOOD}a`,
    padding: `${GOOD.slice(0, -1)}=`,
    'unused bits that are not zero': `${GOOD.slice(0, -1)}j`,
    'a character outside the alphabet': `${GOOD.slice(0, 20)}1${GOOD.slice(21)}`,
    'a blank': ` ${GOOD}`,
    'a line end': `${GOOD}\n`,
  }
  for (const [what, text] of Object.entries(bad)) expect(peerHandle().safeParse(text).success, what).toBe(false)
})
