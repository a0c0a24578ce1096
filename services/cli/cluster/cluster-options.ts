import type { Command } from 'commander'

/** The options by which every command that asks a cluster finds it. */
export function withClusterOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as kubectl does)')
    .option('--context <name>', 'which context of the kubeconfig')
}
