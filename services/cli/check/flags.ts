import { type Command, Option } from 'commander'
import { withClusterOptions } from '../cluster/cluster-options.ts'
import type { ClusterFlags } from '../cluster/open-cluster.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'

interface Flags extends ClusterFlags {
  readonly against: readonly string[]
  readonly for: 'up' | 'cluster'
  readonly standalone?: string
  readonly namespace?: string
  readonly installation?: string
  readonly output: 'text' | 'json'
}

export function addCheckCommand(program: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  const check = program
    .command('check')
    .description(
      'Look for what is wrong: with files before they are applied, with what runs on a cluster, or with one ' +
        '`causeway up`. One line for each thing looked at, and what to do about it.',
    )
    .argument('[file...]', 'look at these files and not at a cluster; all of them are one configuration')
    .option(
      '--against <file>',
      'also whether the files may replace this one, as in what kubectl get causeway --output yaml printed; may be given again',
      collect,
      [],
    )
    .addOption(
      new Option(
        '--for <place>',
        'where files are for. up: causeway up. cluster: kubectl apply; what they name may be there already',
      )
        .choices(['up', 'cluster'])
        .default('up'),
    )
    .option('--standalone <url>', 'look at the `causeway up` with --admin here, as in http://127.0.0.1:9090')
    .option('-n, --namespace <name>', 'on a cluster: only what is in this namespace')
    .option('--installation <namespace>', 'on a cluster: only the installation in this namespace')
    .addOption(
      new Option('-o, --output <form>', 'for people or for programs').choices(['text', 'json']).default('text'),
    )
  withClusterOptions(check).action(async (files: string[], flags: Flags, command: Command) => {
    const { against, for: place, standalone, namespace, installation, output, ...cluster } = flags
    if (against.length > 0 && files.length === 0)
      return command.error(
        'error: --against compares with files, so name these too: causeway check new.yaml --against old.yaml',
      )
    if (standalone !== undefined && files.length > 0)
      return command.error('error: either files or --standalone: files are looked at by themselves')
    const { printCheck } = await import('./print.ts')
    const json = output === 'json'
    if (files.length > 0) {
      const { checkFiles } = await import('./files/check-files.ts')
      return finish(
        printCheck(
          await checkFiles({ files, against, isForCluster: place === 'cluster' }, host.environment),
          json,
          host,
        ),
      )
    }
    if (standalone !== undefined) {
      const { checkStandalone } = await import('./standalone/check-standalone.ts')
      return finish(printCheck(await checkStandalone(standalone), json, host))
    }
    const { checkCluster } = await import('./cluster/check-cluster.ts')
    const options = { ...cluster, ...optional('namespace', namespace), ...optional('installation', installation) }
    finish(printCheck(await checkCluster(options, host), json, host))
  })
}

function optional<Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: string })
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
