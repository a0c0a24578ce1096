import { X509Certificate } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DATA_KEYS } from '@causeway/mesh-api'
import { issueLeaf, type KeyPair, type LeafSubject, mintAuthority } from '@causeway/operator'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'

export interface CertificatesOptions {
  readonly folder: string
  readonly trustDomain: string
  /** By which relays reach the control plane: host names. */
  readonly controlPlane: readonly string[]
  /** `namespace/name` each. */
  readonly relays: readonly string[]
  /** How long certificates last, other than the authority's. */
  readonly lifeMs: number
}

const DAY_MS = 24 * 60 * 60 * 1000
const AUTHORITY_LIFE_MS = 3650 * DAY_MS
const AUTHORITY_KEY = 'ca.key'

/**
 * `causeway keys ca`: the certificates of a control plane and of relays elsewhere that ask it, as files (CONTROL section 2).
 * An authority that is in the folder already signs again; what was issued before is replaced, and read anew by whoever
 * uses it.
 */
export async function issueCertificates(options: CertificatesOptions, host: CliHost, nowMs: number): Promise<ExitCode> {
  const { folder, controlPlane, relays, lifeMs, trustDomain } = options
  try {
    const authority = await authorityIn(folder, nowMs)
    const issue = async (where: string, subject: LeafSubject) => {
      const pair = await issueLeaf(authority, subject, { nowMs, lifeMs })
      await writePrivate(join(folder, where, DATA_KEYS.certificate), pair.certificate)
      await writePrivate(join(folder, where, DATA_KEYS.key), pair.key)
      return new X509Certificate(pair.certificate).validToDate.toISOString()
    }
    if (controlPlane.length > 0) {
      await writePrivate(join(folder, CONTROL_PLANE, DATA_KEYS.authorities), authority.certificate)
      const until = await issue(CONTROL_PLANE, controlPlaneSubject(controlPlane))
      host.writeOut(`control plane  --tls ${join(folder, CONTROL_PLANE)}  until ${until}\n`)
    }
    for (const relay of relays) {
      const mounts = join('relays', relay)
      await writePrivate(join(folder, mounts, 'trust', DATA_KEYS.authorities), authority.certificate)
      const until = await issue(join(mounts, CONTROL_PLANE), relaySubject(trustDomain, relay))
      host.writeOut(`relay ${relay}  --mounts ${join(folder, mounts)}  until ${until}\n`)
    }
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('path' in error)) throw error
    host.writeError(`causeway: ${String(error.path)}: ${String(error.code)}\n`)
    return EXIT.failed
  }
}

/** The name of the folder of the control plane, and of the one in a relay's with which it shows itself there. */
const CONTROL_PLANE = 'control-plane'

async function authorityIn(folder: string, nowMs: number): Promise<KeyPair> {
  const [certificateFile, keyFile] = [join(folder, DATA_KEYS.authorities), join(folder, AUTHORITY_KEY)]
  const [certificate, key] = [await textOf(certificateFile), await textOf(keyFile)]
  if (certificate !== undefined && key !== undefined) return { certificate, key }
  const made = await mintAuthority({ nowMs, lifeMs: AUTHORITY_LIFE_MS })
  await writePrivate(keyFile, made.key)
  await writePrivate(certificateFile, made.certificate)
  return made
}

function controlPlaneSubject(names: readonly string[]): LeafSubject {
  return {
    commonName: 'causeway control plane',
    names: names.map((value) => ({ type: 'dns', value })),
    usages: ['server', 'client'],
  }
}

/** Objects in files have no UID: a certificate for one names none. */
function relaySubject(trustDomain: string, relay: string): LeafSubject {
  const [namespace = '', name = ''] = relay.split('/')
  const value = `spiffe://${trustDomain}/ns/${namespace}/relay/${name}`
  return { commonName: 'causeway relay', names: [{ type: 'url', value }], usages: ['client'] }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** For its owner only from the first moment; whoever watches it sees the old or the new one, whole. */
async function writePrivate(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}.new`
  await writeFile(beside, text, { mode: 0o600, flag: 'wx' })
  await rename(beside, file)
}
