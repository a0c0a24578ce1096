import { readStatus, StandaloneError, type StandaloneStatus } from '../../standalone/read-status.ts'
import { type Check, type CheckLine, linesOf } from '../line.ts'
import { OBJECT_CHECKS } from '../object-checks.ts'

type Subject = { readonly status: StandaloneStatus } | { readonly error: StandaloneError }

/** Looks at one `causeway up` by its admin listener. */
export async function checkStandalone(url: string): Promise<readonly CheckLine[]> {
  const subject = await gather(url)
  const objects = 'status' in subject ? { objects: subject.status.objects } : {}
  return [...linesOf(CHECKS, subject), ...linesOf(OBJECT_CHECKS, objects)]
}

const CHECKS: readonly Check<Subject>[] = [
  {
    category: 'process',
    check: 'reachable',
    title: 'it answers',
    judge: (subject) =>
      'status' in subject
        ? []
        : [
            {
              level: 'failed',
              message: subject.error.message,
              hint: 'start it with causeway up FILE... --admin 127.0.0.1:9090; the admin listener of a MeshRelay is another one',
            },
          ],
  },
  {
    category: 'process',
    check: 'files',
    title: 'its files are in force as they are now',
    judge: (subject) =>
      'status' in subject
        ? subject.status.refused.map((problem) => ({
            level: 'failed',
            message: problem,
            hint: 'what was in force before stays until the file is right',
          }))
        : undefined,
  },
  {
    category: 'process',
    check: 'ready',
    title: 'it is ready',
    judge: (subject) =>
      'status' in subject
        ? subject.status.notReady.map((reason) => ({ level: 'failed', message: `it is not ready: ${reason}` }))
        : undefined,
  },
]

async function gather(url: string): Promise<Subject> {
  try {
    return { status: await readStatus(url) }
  } catch (error) {
    if (!(error instanceof StandaloneError)) throw error
    return { error }
  }
}
