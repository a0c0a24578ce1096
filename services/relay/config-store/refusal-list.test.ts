import { expect, it } from 'vitest'
import { route } from '../../../test/fixtures/control/deltas.ts'
import type { Refusal } from './contract.ts'
import { HeldSet } from './held-set.ts'
import { RefusalList } from './refusal-list.ts'

it('what was said of an older version than was sent last is not said any more', () => {
  const held = new HeldSet()
  const list = new RefusalList(held)
  const send = (path: string): string => {
    const { version, ...rest } = route('default/a', path)
    const hex = Buffer.from(version).toString('hex')
    held.apply({ upserts: [{ ...rest, version: hex }], removals: [], positions: new Map() })
    return hex
  }
  const refusalOf = (version: string): Refusal => {
    return { kind: 'route', name: 'default/a', version, reason: 'ListenFailed', fieldPath: '', message: 'no' }
  }
  const first = send('/first')
  list.setLive([refusalOf(first)])
  expect(list.all()).toHaveLength(1)
  const second = send('/second')
  expect(list.all()).toEqual([])
  list.setLive([refusalOf(second)])
  expect(list.all()).toMatchObject([{ name: 'default/a', version: Buffer.from(second, 'hex') }])
})
