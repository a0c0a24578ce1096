import type { Resources } from '@causeway/mesh-api'
import { IdentityFileError, readIdentityFile } from '@causeway/npamp/crypto/node'
import type { RelayIdentityStatus } from '../source.ts'

/**
 * `namespace/name` of relays -> who they are, as an operator would have written it: of the key only the public handle is
 * kept. A key file that cannot be read is the relay's to complain of; nobody can pin it.
 */
export async function identitiesOf({ relays }: Resources): Promise<ReadonlyMap<string, RelayIdentityStatus>> {
  const found = relays.map(async ({ metadata, spec }): Promise<[string, RelayIdentityStatus] | undefined> => {
    const peerHandle = await peerHandleOf(spec.identity.keyFile)
    return peerHandle === undefined
      ? undefined
      : [`${metadata.namespace}/${metadata.name}`, { state: 'Active', peerHandle }]
  })
  return new Map((await Promise.all(found)).filter((entry) => entry !== undefined))
}

/** The files that the identities of a set are read from. */
export function keyFilesOf({ relays }: Resources): readonly string[] {
  return relays.flatMap(({ spec }) => (spec.identity.keyFile === undefined ? [] : [spec.identity.keyFile]))
}

async function peerHandleOf(keyFile: string | undefined): Promise<string | undefined> {
  if (keyFile === undefined) return undefined
  try {
    return (await readIdentityFile(keyFile)).peerHandle
  } catch (error) {
    if (error instanceof IdentityFileError) return undefined
    throw error
  }
}
