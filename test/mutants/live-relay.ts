import type { Mutant } from './mutant.ts'

/** A mutant of the relay; `file` is a path inside `services/relay`. */
function one(name: string, file: string, requirement: string, find: string, replace: string): Mutant {
  return { name, file: `services/relay/${file}`, requirement, find, replace }
}

const STORE = 'config-store/config-store.ts'
const LIVE = 'live/live-configuration.ts'
const SETTLE = 'live/settle.ts'
const ATTEMPT = 'control/attempt.ts'
const STALENESS = 'control/staleness.ts'
const PEER = 'mesh/peer.ts'
const SLOT = 'listeners/listener-slot.ts'

/** Faults in what a relay takes from a control plane, keeps, and puts into force while it runs. */
export const LIVE_RELAY_MUTANTS: readonly Mutant[] = [
  // What is taken
  one('acknowledged before it is on the volume', STORE, 'RLY-001', ': await this.#record(delta)', ': undefined'),
  one(
    'in force though it is not on the volume',
    STORE,
    'RLY-001',
    'if (problem === undefined && !isProblem',
    'if (!isProblem',
  ),
  one(
    'a replica that lags rolls the relay back',
    'config-store/check-delta.ts',
    'RLY-002',
    'value < seen.value',
    'value < 0n',
  ),
  one(
    'no other source is taken',
    'config-store/check-delta.ts',
    'RLY-002',
    'seen.source === source && value < seen.value',
    'value < seen.value',
  ),
  one('positions are not said', STORE, 'RLY-003', 'positions: positionsOf(this.#held)', 'positions: []'),

  // What comes into force
  one(
    'a route goes on to a target that kept an older version',
    SETTLE,
    'RLY-004',
    'accepted.has(dependency) || isCurrent(dependency)',
    'accepted.has(dependency) || dependency.force !== undefined',
  ),
  one('a refusal is told once', LIVE, 'RLY-004', 'for (const entry of this.#refused) dirty.add(entry)', ''),
  one('what is refused stays so for ever', LIVE, 'RLY-004', ' && !this.#refused.has(entry)) return', ') return'),
  one('a route without a good target serves', LIVE, 'RLY-005', 'isAvailable: false }))', 'isAvailable: true }))'),
  one(
    'the path of a route that serves nothing is free',
    SETTLE,
    'RLY-005',
    'if (claimProblem(entry, table, accepted, taken, input) === undefined) found.set(entry, table)',
    '',
  ),
  one('changes overtake one another', LIVE, 'RLY-006', 'const turn = this.#tail.then(work)', 'const turn = work()'),
  one(
    'what is in force is prepared again',
    LIVE,
    'RLY-006',
    'const isSame = isCurrent(entry) &&',
    'const isSame = false &&',
  ),
  one('who comes takes what is taken', SETTLE, 'RLY-007', 'keeps ? holder : taken.get(claim)', 'taken.get(claim)'),
  one(
    'a credential is used before it is the right one',
    'config/file-reader.ts',
    'RLY-017',
    'if (wanted.length > 0 && !digest.equals(wanted))',
    'if (wanted.length > 1_000)',
  ),

  // What outlives the process
  one(
    'what was refused is in force after a start',
    'config-store/held-set.ts',
    'RLY-008',
    'const good = this.#unsettled.has(key) ? this.#good.get(key) : sent',
    'const good = sent',
  ),
  one(
    'a damaged log is not kept',
    'config-store/log/delta-log.ts',
    'RLY-009',
    'if (damaged !== undefined) await folder.rename(LOG_NAME, DAMAGED_NAME)',
    '',
  ),
  one('a start makes it fresh', STALENESS, 'RLY-010', 'Math.max(0, wallNow() - lastContactMs)', '0'),
  one('denied though nobody said so', STALENESS, 'RLY-010', 'settings()?.denyUnlessReadOnly ?? false', 'true'),
  one(
    'denied after other settings too',
    STALENESS,
    'RLY-010',
    '    this.#deny(false)\n    if (leftMs',
    '    if (leftMs',
  ),

  // Streams
  one(
    'the next stream is told too little',
    ATTEMPT,
    'RLY-011',
    'if (beside.taken === told) return true',
    'return true',
  ),
  one('two streams are taken from', ATTEMPT, 'RLY-011', 'await beside.pause()', ''),
  one('always the same control plane', 'control/attempts.ts', 'RLY-012', 'this.#next += 1', ''),
  one(
    'a control plane that lags is waited for',
    ATTEMPT,
    'RLY-012',
    'if (error === DeltaErrorCode.STALE_SOURCE) failAfter(STALE_LIMIT_MS, stale(channel.target))',
    '',
  ),
  one(
    'ready with a control plane only',
    'control/controlled-relay.ts',
    'RLY-020',
    'return this.#live.ready()',
    "return this.#client.isConnected ? this.#live.ready() : { ok: false, reasons: ['no control plane'] }",
  ),

  // Peers, listeners, routes
  one(
    'new calls stay with the old address',
    'mesh/association-pool.ts',
    'RLY-013',
    'if (onlyNew && association.retiring) continue',
    '',
  ),
  one(
    'an old address is left with a session on it',
    'mesh/retirement.ts',
    'RLY-013',
    '(replaced && association.isLeft)',
    'replaced',
  ),
  one(
    'an old address is left before there is another',
    'mesh/retirement.ts',
    'RLY-013',
    '(replaced && association.isLeft)',
    'association.isLeft',
  ),
  one(
    'whoever is pinned no more stays',
    PEER,
    'RLY-014',
    'if (!this.#pins(association)) association.abort',
    'if (this.#closing) association.abort',
  ),
  one(
    'a handshake outlives a pin',
    PEER,
    'RLY-014',
    'else if (!this.#pins(association)) association.close',
    'else if (this.#closing) association.close',
  ),
  one(
    'associations keep an earlier key',
    PEER,
    'RLY-015',
    'for (const association of this.#pool) this.#retirement.add(association)\n    this.#afterChange()',
    'this.#afterChange()',
  ),
  one('a handshake outlives a key', PEER, 'RLY-015', 'return this.#options.hasEarlierKey(association)', 'return false'),
  one(
    'an address is left before the next is there',
    SLOT,
    'RLY-016',
    'before === undefined || !sharesPlace(before, after)',
    'before === undefined',
  ),
  one(
    'a listener is gone after an attempt',
    SLOT,
    'RLY-016',
    'if (config !== undefined) await this.#again(config)',
    '',
  ),
  one(
    'facts outlive the server',
    'rooms.ts',
    'RLY-018',
    'if (server) elsewhere.add(',
    'if (server && name === undefined) elsewhere.add(',
  ),
  one(
    'facts outlive the peer',
    'mesh/peer-config.ts',
    'RLY-018',
    "if (after.mode === 'any') return false",
    'if (after.mode) return false',
  ),
  one(
    'a list outlives its server',
    'labels/labels.ts',
    'RLY-018',
    'if (this.#changeOf(scope.target) > asked) return',
    '',
  ),
  one(
    'sessions go along with their route',
    'router/route-set.ts',
    'RLY-019',
    'before.target.name !== after?.target.name',
    'after === undefined',
  ),
]
