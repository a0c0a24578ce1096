import { type Concerned, share } from '../concerned.ts'
import { reachable } from './reachable.ts'
import { NO_RELAY, no, unknown, type Verdict, yes } from './verdict.ts'

export function backendReachable(concerned: readonly Concerned[]): Verdict {
  const notTried = { reason: 'NotTried', message: 'no relay instance has needed it yet' }
  return reachable(concerned, ({ backend }) => backend, notTried)
}

export function authorized(concerned: readonly Concerned[]): Verdict {
  if (concerned.length === 0) return NO_RELAY
  const asked = concerned.filter(({ backend }) => backend?.authorized !== undefined)
  if (asked.length === 0) return unknown('NotAsked', 'nothing was asked of the server yet')
  const accepted = asked.filter(({ backend }) => backend?.authorized === true)
  const refused = asked.find(({ backend }) => backend?.authorized === false)
  if (refused === undefined) return yes('Authorized', `the server accepts ${share(accepted, asked)}`)
  return no('Unauthorized', `the server accepts ${share(accepted, asked)}; not ${refused.label}`)
}
