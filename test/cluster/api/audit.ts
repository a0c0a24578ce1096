import { readFile } from 'node:fs/promises'
import { stringify } from 'yaml'

/** One request that the API server answered, or began to answer (a watch). */
export interface AuditEvent {
  readonly auditId: string
  /** `system:serviceaccount:NAMESPACE:NAME` for a service account. */
  readonly user: string
  readonly userAgent: string
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; the method where no resource is meant. */
  readonly verb: string
  readonly requestUri: string
  /** Empty where no resource is meant. */
  readonly resource: string
  readonly subresource: string
  readonly apiGroup: string
  readonly namespace: string
  readonly name: string
  /** Status code of the answer. */
  readonly code: number
  /** Of its receipt, RFC 3339 with microseconds. */
  readonly receivedAt: string
}

/** Who asked for what, once when a long answer begins and once when an answer is complete; no bodies. */
export const AUDIT_POLICY = stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
})

/** Every request in the log, in the order of their first line. */
export async function readAuditLog(file: string): Promise<AuditEvent[]> {
  const events = new Map<string, AuditEvent>()
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const event = decode(line)
    if (event !== undefined) events.set(event.auditId, event)
  }
  return [...events.values()]
}

interface LogLine {
  readonly auditID: string
  readonly verb: string
  readonly requestURI: string
  readonly userAgent?: string
  readonly user?: { readonly username?: string }
  readonly objectRef?: {
    readonly resource?: string
    readonly subresource?: string
    readonly apiGroup?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly responseStatus?: { readonly code?: number }
  readonly requestReceivedTimestamp: string
}

function decode(text: string): AuditEvent | undefined {
  let line: LogLine
  try {
    line = JSON.parse(text) as LogLine
  } catch {
    return undefined // the last line may still be on its way
  }
  return {
    auditId: line.auditID,
    user: line.user?.username ?? '',
    userAgent: line.userAgent ?? '',
    verb: line.verb,
    requestUri: line.requestURI,
    resource: line.objectRef?.resource ?? '',
    subresource: line.objectRef?.subresource ?? '',
    apiGroup: line.objectRef?.apiGroup ?? '',
    namespace: line.objectRef?.namespace ?? '',
    name: line.objectRef?.name ?? '',
    code: line.responseStatus?.code ?? 0,
    receivedAt: line.requestReceivedTimestamp,
  }
}
