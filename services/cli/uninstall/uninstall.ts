import { type ClusterFlags, openCluster } from '../cluster/open-cluster.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { releaseAll } from './release.ts'
import { stopOperator } from './stop-operator.ts'

export interface UninstallOptions extends ClusterFlags {
  /** Empty: all. */
  readonly namespaces: readonly string[]
  /** The namespace of an operator that is to be stopped first. */
  readonly operatorNamespace?: string
}

/** `causeway uninstall --release`: says what it freed, and what it could not. */
export async function uninstall(options: UninstallOptions, host: CliHost): Promise<ExitCode> {
  const client = await openCluster(options, host)
  try {
    const { namespaces, operatorNamespace } = options
    if (operatorNamespace !== undefined && !(await stopOperator(client, operatorNamespace))) {
      host.writeError(`causeway: the operator in ${operatorNamespace} still runs and may hold objects again\n`)
    }
    const { released, failures } = await releaseAll(client, namespaces)
    for (const { kind, name, wasDeleted } of released) {
      host.writeOut(`released ${kind} ${name}${wasDeleted ? ', which was waiting to be deleted' : ''}\n`)
    }
    for (const { kind, name, message } of failures) {
      host.writeError(`causeway: ${name === undefined ? `${kind}s` : `${kind} ${name}`}: ${message}\n`)
    }
    host.writeOut(`${released.length} released\n`)
    return failures.length === 0 ? EXIT.ok : EXIT.failed
  } finally {
    client.close()
  }
}
