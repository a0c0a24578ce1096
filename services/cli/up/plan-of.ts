import { ConfigurationError, loadResources, readSourceFiles } from '@causeway/mesh-api'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { chooseRelays } from './choose-relays.ts'
import { readServers } from './mcp-json/read-servers.ts'
import { RELAY_NAME, toResources } from './mcp-json/resources.ts'
import type { Plan, UpSource } from './plan.ts'
import type { Report } from './report.ts'
import { warnOfMissing } from './warn-of-missing.ts'
import { warnOfUnaccepted } from './warn-of-unaccepted.ts'

/** Reads and validates everything; what is wrong is reported. */
export async function planOf(source: UpSource, host: CliHost, report: Report): Promise<Plan | ExitCode> {
  try {
    return 'mcpJson' in source ? await mcpJsonPlan(source, host, report) : await filesPlan(source, host, report)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    report.problems(error.problems)
    return EXIT.badInput
  }
}

async function filesPlan(
  { files, relay }: Extract<UpSource, { files: unknown }>,
  host: CliHost,
  report: Report,
): Promise<Plan | ExitCode> {
  const resources = loadResources(await readSourceFiles(files))
  const choice = chooseRelays(resources, relay)
  if ('refusal' in choice) return report.refused(choice.refusal)
  const plan = { resources, ...choice }
  await warnOfMissing(plan, host.environment, report)
  warnOfUnaccepted(plan, report)
  return plan
}

async function mcpJsonPlan(
  { mcpJson, port }: Extract<UpSource, { mcpJson: unknown }>,
  host: CliHost,
  report: Report,
): Promise<Plan> {
  const [file] = await readSourceFiles([mcpJson])
  if (file === undefined) throw new TypeError('one file was asked for')
  const { findings, ...servers } = await readServers(file, host.environment, report.warning)
  const resources = toResources(servers.servers, port, file.folder ?? '.', findings)
  return { resources, relayNames: [`default/${RELAY_NAME}`], servers }
}
