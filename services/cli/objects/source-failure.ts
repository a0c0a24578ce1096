import { orKubeFailure } from '../cluster/kube-failure.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { StandaloneError } from '../standalone/read-status.ts'

/** What `work` answers; where the resources cannot be had, that is told in one line. */
export function orSourceFailure(host: CliHost, work: () => Promise<ExitCode>): Promise<ExitCode> {
  return orKubeFailure(host, async () => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StandaloneError)) throw error
      host.writeError(`causeway: ${error.message}\n`)
      return EXIT.failed
    }
  })
}
