import type { KubeError } from '@causeway/kube'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'

/** What `work` answers; a request that fails is told in one line, with what can be done about it, and is no stack trace. */
export async function orKubeFailure(host: CliHost, work: () => Promise<ExitCode>): Promise<ExitCode> {
  const { isKubeError } = await import('@causeway/kube')
  try {
    return await work()
  } catch (error) {
    if (!isKubeError(error)) throw error
    host.writeError(`causeway: ${error.message}${hintOf(error)}\n`)
    return error.code === 'Credentials' ? EXIT.badInput : EXIT.failed
  }
}

function hintOf({ code }: KubeError): string {
  switch (code) {
    case 'Credentials':
      return '; --kubeconfig names another file'
    case 'Unauthorized':
      return '; the credentials of the kubeconfig are not accepted'
    case 'Unreachable':
    case 'Timeout':
      return '; is the cluster up, and is this the right context?'
    default:
      return ''
  }
}
