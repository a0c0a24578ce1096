import { access, constants } from 'node:fs/promises'
import { type AnyResource, printable } from '@causeway/mesh-api'
import { IdentityFileError, readIdentityFile } from '@causeway/npamp/crypto/node'
import type { CliHost } from '../../host.ts'
import { missingProgram } from '../../up/missing-program.ts'
import type { Finding } from '../line.ts'

/** What resources name of the machine that they are read on: private keys, certificates, programs. */
export async function machineFindings(
  resources: readonly AnyResource[],
  environment: CliHost['environment'],
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const resource of resources) {
    const name = `${resource.kind}/${resource.metadata.namespace}/${resource.metadata.name}`
    const keyFile = resource.kind === 'MeshRelay' ? resource.spec.identity.keyFile : undefined
    if (keyFile !== undefined) findings.push(...(await identityFindings(`${name}: spec.identity.keyFile`, keyFile)))
    for (const { path, file } of filesOf(resource.spec, 'spec')) {
      if (file !== keyFile) findings.push(...(await fileFindings(`${name}: ${path}`, file)))
    }
    if (resource.kind === 'MeshBackend') findings.push(...(await programFindings(name, resource, environment)))
  }
  return findings
}

async function identityFindings(where: string, file: string): Promise<readonly Finding[]> {
  try {
    const { warnings } = await readIdentityFile(file)
    return warnings.map((warning) => ({ level: 'warning', message: `${where}: ${warning}` }))
  } catch (error) {
    if (!(error instanceof IdentityFileError)) throw error
    const hint = `causeway keys generate --out ${file} makes one`
    return [{ level: 'failed', message: `${where}: ${error.message}`, ...(error.code === 'NOT_FOUND' ? { hint } : {}) }]
  }
}

async function fileFindings(where: string, file: string): Promise<readonly Finding[]> {
  try {
    await access(file, constants.R_OK)
    return []
  } catch {
    return [{ level: 'failed', message: `${where}: ${printable(file)} is not there, or not readable` }]
  }
}

async function programFindings(
  name: string,
  { spec }: Extract<AnyResource, { kind: 'MeshBackend' }>,
  environment: CliHost['environment'],
): Promise<readonly Finding[]> {
  const stdio = spec.mcp?.stdio
  if (stdio === undefined) return []
  const path = stdio.env.find((one) => one.name === 'PATH')?.value ?? environment.PATH
  const missing = await missingProgram(stdio.command, { path, folder: stdio.cwd ?? '.' })
  if (missing === undefined) return []
  return [{ level: 'warning', message: `${name}: spec.mcp.stdio.command: ${missing}` }]
}

/** By the naming rule of the kinds: fields whose name ends in `File` name one. */
function filesOf(value: unknown, path: string): readonly { readonly path: string; readonly file: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => {
    const below = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`
    return typeof one === 'string' && key.endsWith('File') ? [{ path: below, file: one }] : filesOf(one, below)
  })
}
