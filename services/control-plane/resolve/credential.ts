import { credentialFile, type DataEntry } from '@causeway/mesh-api'
import type { FileIr } from '../ir/file.ts'
import type { SourceStatus } from '../sources/source.ts'
import { Withheld } from './withheld.ts'

/** An entry that the operator projects for the relay, as it is now (CONTROL section 5). Throws Withheld until it is there. */
export function credential(entry: DataEntry, { credentials }: SourceStatus, fieldPath: string): FileIr {
  const file = credentialFile(entry)
  const sha256 = credentials?.get(file)
  if (sha256 === undefined) {
    const what = `${entry.kind} ${entry.namespace}/${entry.name}, key ${entry.key}`
    throw new Withheld('CredentialPending', fieldPath, `${what}: is not projected for the relay yet`)
  }
  return { mounted: `credentials/${file}`, sha256 }
}
