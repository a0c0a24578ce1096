import type { Command } from 'commander'
import { withClusterOptions } from '../cluster/cluster-options.ts'
import type { ClusterFlags } from '../cluster/open-cluster.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'

interface Flags extends ClusterFlags {
  readonly release?: true
  readonly namespace: readonly string[]
  readonly stopOperator?: string
}

export function addUninstallCommand(program: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  const uninstall = program
    .command('uninstall')
    .description(
      'Free the resources that the operator holds back while they are in use. helm uninstall does it by itself; this ' +
        'is for a cluster from which the operator or the definitions were removed first.',
    )
    .option('--release', 'take the finalizer of the operator from every resource that has it')
    .option('--namespace <name>', 'only in this namespace; may be given again', collect, [])
    .option('--stop-operator <namespace>', 'stop the operator of this namespace first')
  withClusterOptions(uninstall).action(async (flags: Flags, command: Command) => {
    if (flags.release !== true) {
      return command.error(
        'error: nothing to do: --release frees what is held, helm uninstall removes the installation',
      )
    }
    const { orKubeFailure } = await import('../cluster/kube-failure.ts')
    const { uninstall } = await import('./uninstall.ts')
    const { namespace, stopOperator, ...cluster } = flags
    const operator = stopOperator === undefined ? {} : { operatorNamespace: stopOperator }
    finish(await orKubeFailure(host, () => uninstall({ ...cluster, ...operator, namespaces: namespace }, host)))
  })
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
