import type { Identity } from '@causeway/npamp/crypto/node'
import type { CliHost } from '../host.ts'

/** What may be known of an identity. The handle stands alone on its line, to be copied into a MeshPeer. */
export function printIdentity(file: string, identity: Identity, json: boolean, host: CliHost): void {
  const { peerHandle, algorithm } = identity
  host.writeOut(
    json
      ? `${JSON.stringify({ file, peerHandle, algorithm })}\n`
      : `file       ${file}\nalgorithm  ${algorithm}\nPeerHandle ${peerHandle}\n`,
  )
}
