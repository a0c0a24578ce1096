import { type Concerned, share } from '../concerned.ts'
import { reachable } from './reachable.ts'
import { NO_RELAY, no, unknown, type Verdict, yes } from './verdict.ts'

/** An identity whose end is nearer than this is told. As long as an announced key is announced at least, by default. */
export const EXPIRING_MS = 7 * 24 * 60 * 60 * 1_000

export function peerReachable(concerned: readonly Concerned[]): Verdict {
  const notDialled = {
    reason: 'NotDialled',
    // A peer with `dial: never` comes when it needs something: that it has not come is no fault of anybody's.
    message: 'no association is open: none was needed from here yet, and the peer has opened none',
  }
  return reachable(concerned, ({ peer }) => peer, notDialled)
}

/** True when it holds for every instance with an open association, else False with `n of m`. */
export function postQuantum(concerned: readonly Concerned[]): Verdict {
  if (concerned.length === 0) return NO_RELAY
  const open = concerned.filter(({ peer }) => peer?.postQuantum !== undefined)
  if (open.length === 0) return unknown('NotDialled', 'no association that was dialled from here is open')
  const hybrid = open.filter(({ peer }) => peer?.postQuantum === true)
  const classical = open.find(({ peer }) => peer?.postQuantum === false)
  if (classical === undefined) return yes('PostQuantum', `the outer TLS of ${share(hybrid, open)} is post-quantum`)
  const message = `the outer TLS of ${share(hybrid, open)} is post-quantum; that of ${classical.label} is not`
  return no('Classical', message)
}

/** `nowMs`: Unix milliseconds. */
export function identityExpiring(concerned: readonly Concerned[], nowMs: number): Verdict {
  const endMs = earliestEndMs(concerned)
  if (endMs === undefined) return no('NoEndKnown', 'no statement of the peer says that its identity ends')
  const message = `the pinned identity ends at ${new Date(endMs).toISOString()}`
  return endMs - nowMs < EXPIRING_MS ? yes('EndsSoon', message) : no('EndsLater', message)
}

/** Unix milliseconds at which the first pinned identity ends; undefined: none is known to. */
export function earliestEndMs(concerned: readonly Concerned[]): number | undefined {
  const ends = concerned.flatMap(({ peer }) =>
    peer?.identityExpires === undefined ? [] : [Number(peer.identityExpires) * 1_000].filter(isDate),
  )
  return ends.length === 0 ? undefined : Math.min(...ends)
}

/** A peer says when its identity ends: what lies beyond every calendar has no end. */
function isDate(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime())
}

export function successorPinned(concerned: readonly Concerned[]): Verdict {
  if (concerned.length === 0) return NO_RELAY
  const pinned = concerned.filter(({ peer }) => (peer?.pinnedSuccessors.length ?? 0) > 0)
  if (pinned.length === 0) return no('NoSuccessor', 'the peer has announced no next identity')
  if (pinned.length === concerned.length) return yes('Pinned', `${share(pinned, concerned)} pin the next identity`)
  return no('PartlyPinned', `${share(pinned, concerned)} pin the next identity`)
}
