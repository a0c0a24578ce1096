import { Reachability } from '@causeway/rpc'
import { type Concerned, share } from '../concerned.ts'
import type { Truth } from '../object-status.ts'
import { NO_RELAY, no, unknown, type Verdict, yes } from './verdict.ts'

/** What one instance says of a peer or a backend. */
interface Reached {
  readonly reachable: Reachability
  readonly message: string
}

export function truthOf(reachability: Reachability | undefined): Truth {
  if (reachability === Reachability.REACHABLE) return 'True'
  return reachability === Reachability.UNREACHABLE ? 'False' : 'Unknown'
}

/**
 * True when it holds for every instance that has tried, else False with `n of m` (CONTROL section 4). An instance that has
 * not needed it yet says nothing about it.
 */
export function reachable(
  concerned: readonly Concerned[],
  saidBy: (one: Concerned) => Reached | undefined,
  notTried: { readonly reason: string; readonly message: string },
): Verdict {
  if (concerned.length === 0) return NO_RELAY
  const said = concerned.map((one) => ({ label: one.label, said: saidBy(one) }))
  const tried = said.filter(({ said: one }) => truthOf(one?.reachable) !== 'Unknown')
  const reached = tried.filter(({ said: one }) => truthOf(one?.reachable) === 'True')
  const failed = tried.find(({ said: one }) => truthOf(one?.reachable) === 'False')
  if (failed !== undefined) {
    return no('Unreachable', `${share(reached, tried)} reach it; ${failed.label}: ${failed.said?.message ?? ''}`)
  }
  if (reached.length > 0) return yes('Reached', `${share(reached, said)} reach it`)
  if (said.every(({ said: one }) => one === undefined))
    return unknown('NotReported', 'no relay instance has said it yet')
  return unknown(notTried.reason, notTried.message)
}
