import { writeFile } from 'node:fs/promises'
import { signSuccessor } from '@causeway/npamp'
import { IdentityFileError, nodeProvider, readIdentityFile } from '@causeway/npamp/crypto/node'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { type ObjectsSource, readObjects } from '../objects/read-objects.ts'

export interface AnnounceOptions {
  /** Where the statement goes: the octets of CONTROL section 5. */
  readonly out: string
  readonly from: FromFiles | FromRelay
}

interface FromFiles {
  readonly current: string
  readonly next: string
  readonly validForMs: number
}

interface FromRelay extends ObjectsSource {
  readonly relay: string
}

/** `causeway keys announce`: a file that tells a foreign implementation which key comes after the one that it knows. */
export async function announce({ out, from }: AnnounceOptions, host: CliHost, nowMs: number): Promise<ExitCode> {
  try {
    const statement = 'relay' in from ? await statementOf(from, host) : await signed(from, host, nowMs)
    if (statement === undefined) return EXIT.failed
    await writeFile(out, statement)
    host.writeOut(`file       ${out}\n`)
    return EXIT.ok
  } catch (error) {
    if (error instanceof IdentityFileError) {
      host.writeError(`causeway: ${error.message}\n`)
      return EXIT.badInput
    }
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error
    host.writeError(`causeway: ${out}: cannot be written (${String(error.code)})\n`)
    return EXIT.failed
  }
}

async function signed({ current, next, validForMs }: FromFiles, host: CliHost, nowMs: number): Promise<Uint8Array> {
  const [before, after] = [await readIdentityFile(current), await readIdentityFile(next)]
  for (const warning of [...before.warnings, ...after.warnings]) host.writeError(`causeway: warning: ${warning}\n`)
  if (before.peerHandle === after.peerHandle) throw new IdentityFileError('EXISTS', next, `has the key of ${current}`)
  const notBeforeS = Math.floor(nowMs / 1000)
  const notAfterS = Math.floor((nowMs + validForMs) / 1000)
  host.writeOut(`current    ${before.peerHandle}\nnext       ${after.peerHandle}\n`)
  host.writeOut(`valid      until ${new Date(notAfterS * 1000).toISOString()}\n`)
  return signSuccessor({ notBeforeS, notAfterS }, before.key, after.key, nodeProvider())
}

/** As the operator has signed it, while the relay is about to change its key. */
async function statementOf(from: FromRelay, host: CliHost): Promise<Uint8Array | undefined> {
  const [relay] = (await readObjects(['MeshRelay'], from, host)).filter(({ name }) => name === from.relay)
  const { successor, peerHandle, next } = relay?.status.identity ?? {}
  if (successor === undefined) {
    const why = relay === undefined ? 'is not there' : 'announces no key now: spec.identity.rotation says when it does'
    host.writeError(`causeway: MeshRelay ${from.relay} ${why}\n`)
    return undefined
  }
  host.writeOut(`current    ${peerHandle}\nnext       ${next}\n`)
  return Buffer.from(successor, 'base64')
}
