import type { Command } from 'commander'
import { withClusterOptions } from '../cluster/cluster-options.ts'
import type { ClusterFlags } from '../cluster/open-cluster.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import type { ObjectsSource } from '../objects/read-objects.ts'
import { withSourceOptions } from '../objects/source-options.ts'

interface ExportFlags extends ObjectsSource {
  readonly as?: string
  readonly address: readonly string[]
}

interface ImportFlags extends ClusterFlags {
  readonly relay: readonly string[]
  readonly namespace?: string
  readonly as?: string
  readonly apply?: true
}

export function addPeerCommands(program: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  const peer = program.command('peer').description('What two administrations tell each other of their relays.')
  const exporting = peer
    .command('export')
    .description(
      'Print what another administration needs to know of a relay: its handles, addresses and protocols; no secret.',
    )
    .argument('<relay>', 'the name of the MeshRelay')
    .option('--as <name>', 'what they shall call it (default: the name of the relay)')
    .option(
      '--address <url>',
      'where they dial it, as in npamp://relay.example.com:8443; may be given again',
      collect,
      [],
    )
  withSourceOptions(exporting).action(async (relay: string, { address, ...flags }: ExportFlags) => {
    const { orSourceFailure } = await import('../objects/source-failure.ts')
    const { exportPeer } = await import('./export.ts')
    finish(await orSourceFailure(host, () => exportPeer({ ...flags, relay, addresses: address }, host)))
  })

  const importing = peer
    .command('import')
    .description(
      'Make a MeshPeer of what another administration has exported, and print it. Nothing in it may widen what you permit.',
    )
    .argument('<file>', 'what causeway peer export printed')
    .requiredOption('--relay <name>', 'which of your relays knows this peer; may be given again', collect, [])
    .option('-n, --namespace <name>', 'where the MeshPeer and the relays are')
    .option('--as <name>', 'what you call it (default: what it calls itself)')
    .option('--apply', 'write it to the cluster instead of printing it')
  withClusterOptions(importing).action(async (file: string, flags: ImportFlags, command: Command) => {
    const { relay, apply, ...rest } = flags
    if (relay.length === 0)
      return command.error(
        `error: --relay says which of your relays knows this peer: causeway peer import ${file} --relay edge`,
      )
    const { orKubeFailure } = await import('../cluster/kube-failure.ts')
    const { importPeer } = await import('./import.ts')
    finish(await orKubeFailure(host, () => importPeer({ ...rest, file, relays: relay, apply: apply === true }, host)))
  })
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
