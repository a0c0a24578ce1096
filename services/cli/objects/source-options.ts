import type { Command } from 'commander'
import { withClusterOptions } from '../cluster/cluster-options.ts'

/** The options that say where resources are. */
export function withSourceOptions(command: Command): Command {
  return withClusterOptions(
    command
      .option('-n, --namespace <name>', 'only what is in this namespace')
      .option('--standalone <url>', 'of the `causeway up` with --admin here, as in http://127.0.0.1:9090'),
  )
}
