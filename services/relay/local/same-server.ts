import { isDeepStrictEqual } from 'node:util'
import type { BackendConfig } from '../config/relay-config.ts'

/**
 * Whether two configurations are of the same server: its sessions then go on, whatever else changes. Another place, another
 * way to speak to it, or another program is another server, which knows none of them.
 */
export function sameServer(one: BackendConfig, other: BackendConfig): boolean {
  if (one.kind === 'http' && other.kind === 'http') {
    return one.url.href === other.url.href && one.transport === other.transport
  }
  if (one.kind === 'stdio' && other.kind === 'stdio') {
    return isDeepStrictEqual(programOf(one), programOf(other))
  }
  return false
}

function programOf({ command, args, env, inheritEnv, cwd }: Extract<BackendConfig, { kind: 'stdio' }>): unknown {
  return [command, args, env, inheritEnv, cwd]
}
