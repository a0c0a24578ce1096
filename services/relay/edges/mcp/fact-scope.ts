import type { FactScope } from '../../exchanges/tool-facts.ts'
import type { Route } from '../../router/route.ts'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'

/** Whom the facts of a request are true for (CARRIAGE section 11). `principal` is who calls, where there is no session. */
export function factScope(route: Route, session: NorthboundSession | undefined, principal = 'anonymous'): FactScope {
  return {
    target: route.target.name,
    context: session === undefined ? `principal:${principal}` : `session:${session.session.id}`,
    trustAnnotations: route.trustAnnotations ?? true,
  }
}

/** Whether a notification of a server's is `notifications/tools/list_changed`; most end at the first look. */
export function isListChanged(octets: Uint8Array): boolean {
  if (octets.length > MAX_LIST_CHANGED_OCTETS) return false
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength)
  return text.indexOf(TAIL) >= 0 && /"notifications\\?\/tools\\?\/list_changed"/.test(text.toString('latin1'))
}

/** It has nothing to say but its name. */
const MAX_LIST_CHANGED_OCTETS = 4096
const TAIL = Buffer.from('list_changed"')
