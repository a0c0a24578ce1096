import { closureOf, type MeshBackend } from '@causeway/mesh-api'
import type { CliHost } from '../host.ts'
import { missingFolder, missingProgram } from './missing-program.ts'
import type { Plan } from './plan.ts'
import type { Report } from './report.ts'

/** Warns of programs and folders of MeshBackends that are not there, of those that belong to the relays to start. */
export async function warnOfMissing(
  { resources, relayNames }: Pick<Plan, 'resources' | 'relayNames'>,
  environment: CliHost['environment'],
  report: Report,
): Promise<void> {
  const backends = new Set(relayNames.flatMap((name) => closureOf(resources, name)?.backends ?? []))
  for (const backend of backends) await warnOf(backend, environment, report)
}

async function warnOf(
  { kind, metadata, spec }: MeshBackend,
  environment: CliHost['environment'],
  report: Report,
): Promise<void> {
  const { stdio } = spec.mcp
  if (stdio === undefined) return
  const warn = (field: string, message: string | undefined): void => {
    if (message === undefined) return
    const name = `${metadata.namespace}/${metadata.name}`
    report.warning({ kind, name, fieldPath: `spec.mcp.stdio.${field}`, message })
  }
  const path = stdio.env.find(({ name }) => name === 'PATH')?.value ?? environment.PATH
  warn('command', await missingProgram(stdio.command, { path, folder: stdio.cwd ?? '.' }))
  if (stdio.cwd !== undefined) warn('cwd', await missingFolder(stdio.cwd))
}
