import { createHash } from 'node:crypto'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { rekemTranscriptHash } from './rekem-transcript.ts'

describe.each(PROVIDERS)('TH_rekem on $name', (provider) => {
  it.each(['sha256', 'sha384'] as const)(
    `${requirement('REC-036')} hashes both frames' types and TLVs with %s`,
    (hash) => {
      const share = new Uint8Array(1216).fill(0xaa)
      const ciphertext = new Uint8Array(1120).fill(0xbb)
      const generation = '0019 0008 0000000000000102'
      const transcript = octets(`
      0106 0007 04c0 ${'aa'.repeat(1216)} ${generation}
      0107 0008 0460 ${'bb'.repeat(1120)} ${generation}`)
      const expected = createHash(hash).update(transcript).digest('hex')
      expect(hex(rekemTranscriptHash(provider, hash, share, ciphertext, 0x102n))).toBe(expected)
    },
  )
})
