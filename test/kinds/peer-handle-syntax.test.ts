import { KINDS } from '@causeway/mesh-api'
import { parsePeerHandle, peerHandle, SIGNATURE } from '@causeway/npamp'
import { nodeProvider } from '@causeway/npamp/crypto/node'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { requirement } from '../requirements/requirement.ts'

const provider = nodeProvider()
const handleOf = (publicKey: Uint8Array) =>
  peerHandle(SIGNATURE.ED25519, publicKey, (octets) => provider.hash('sha256', octets))
const identity = KINDS.MeshPeer.spec.shape.identity

const resourceTakes = (handle: string) => identity.safeParse({ handles: [handle] }).success
function protocolTakes(handle: string): boolean {
  try {
    parsePeerHandle(handle)
    return true
  } catch {
    return false
  }
}

it(`${requirement('PH-004')} a resource takes exactly the handles that the protocol takes`, () => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
  const edit = fc.record({ at: fc.nat(56), remove: fc.nat(2), insert: fc.stringMatching(/^[a-z0-9A-Z=]{0,2}$/) })
  fc.assert(
    fc.property(key, edit, (publicKey, { at, remove, insert }) => {
      const handle = handleOf(publicKey)
      expect(resourceTakes(handle)).toBe(true)
      const edited = handle.slice(0, at) + insert + handle.slice(at + remove)
      expect(resourceTakes(edited), edited).toBe(protocolTakes(edited))
    }),
    { numRuns: 2000 },
  )
})
