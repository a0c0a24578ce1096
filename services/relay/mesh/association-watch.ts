import { AEAD, type CloseCause, type EstablishedInfo, KEM, type NpampError, PROFILES, SIGNATURE } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { Logger, Metrics } from '@causeway/telemetry'
import { LineLimit } from '../pacing/line-limit.ts'
import { type DialFailure, failureOfClose } from './dial-failure.ts'
import { hex } from './incoming-sessions.ts'
import { MeshTraffic } from './mesh-traffic.ts'
import type { PeerAssociation } from './peer-association.ts'
import type { PeerAddress } from './peer-config.ts'

/** Logs and counts what happens to associations. Decides nothing. */
export class AssociationWatch {
  readonly #logger: Logger
  readonly #metrics: Metrics
  readonly #clock: Clock
  /** Lines that anybody can cause who reaches the port. */
  readonly #refusals: LineLimit
  readonly #handshakeFailures: LineLimit
  readonly #traffic: MeshTraffic

  constructor(logger: Logger, metrics: Metrics, clock: Clock) {
    this.#logger = logger
    this.#metrics = metrics
    this.#clock = clock
    this.#refusals = this.#limit('connections refused')
    this.#handshakeFailures = this.#limit('handshakes failed')
    this.#traffic = new MeshTraffic(metrics)
  }

  /** Before the metrics are read. */
  sync(): void {
    this.#traffic.sync()
  }

  /** A connection that came to nothing before its handshake. */
  refused(error: NpampError, remote: string | undefined): void {
    this.#metrics.add('causeway_connections_refused_total', 1, { reason: error.code.toLowerCase() })
    if (!this.#refusals.admit()) return
    this.#logger.warn({ remote, code: error.code }, `connection refused: ${error.message}`)
  }

  /** `peer`: `namespace/name`, when dialling. */
  began(association: PeerAssociation, peer?: string): void {
    this.#traffic.begin(association, peer)
  }

  established(association: PeerAssociation, peer: string, info: EstablishedInfo): void {
    const { role } = association.core
    const durationMs = this.#clock.now() - association.startedAt
    this.#traffic.identified(association, peer)
    this.#metrics.add('causeway_handshakes_total', 1, { role, result: 'established' })
    this.#metrics.record('causeway_handshake_duration_seconds', durationMs / 1_000, { role })
    this.#metrics.add('causeway_associations_open', 1, { peer })
    this.#logger.info(
      {
        peer,
        peerHandle: info.peerHandle,
        association: hex(info.associationId),
        dialledBy: role === 'initiator' ? 'us' : 'peer',
        profile: PROFILES[info.profile].name,
        kem: nameOf(KEM, info.kem),
        signature: nameOf(SIGNATURE, info.signature),
        aead: nameOf(AEAD, info.aead),
        ...transportFields(association),
        durationMs: Math.round(durationMs * 10) / 10,
      },
      'association established',
    )
  }

  handshakeFailed(association: PeerAssociation, peer: string | undefined, cause: CloseCause): void {
    this.#traffic.end(association)
    const { role } = association.core
    const { result, message } = failureOfClose(cause)
    this.#metrics.add('causeway_handshakes_total', 1, { role, result })
    if (!this.#handshakeFailures.admit()) return
    const fields = { ...(peer === undefined ? {} : { peer }), code: result, ...transportFields(association) }
    this.#logger.warn(fields, `handshake failed: ${message}`)
  }

  closed(association: PeerAssociation, peer: string, cause: CloseCause): void {
    this.#traffic.end(association)
    const reason = reasonOf(cause)
    this.#metrics.add('causeway_associations_open', -1, { peer })
    this.#metrics.add('causeway_associations_closed_total', 1, { peer, reason })
    const info = association.core.established
    const fields = { peer, association: info && hex(info.associationId), by: cause.by, reason, ...closeFields(cause) }
    if (cause.by === 'error') this.#logger.warn(fields, 'association lost')
    else this.#logger.info(fields, 'association closed')
  }

  dialSucceeded(peer: string): void {
    this.#metrics.add('causeway_dials_total', 1, { peer, result: 'ready' })
  }

  addressFailed(peer: string, { host, port }: PeerAddress, failure: DialFailure): void {
    this.#logger.warn({ peer, host, port, code: failure.result }, `dial failed: ${failure.message}`)
  }

  dialFailed(peer: string, failure: DialFailure): void {
    this.#metrics.add('causeway_dials_total', 1, { peer, result: failure.result })
  }

  #limit(what: string): LineLimit {
    return new LineLimit(this.#clock, (leftOut) => {
      this.#logger.warn({ leftOut }, `${leftOut} more ${what} within a second, counted in the metrics`)
    })
  }
}

function transportFields(association: PeerAssociation): Record<string, unknown> {
  const { remote, tlsVersion, group } = association.transportInfo ?? {}
  return { remote, tlsVersion, ...(group === undefined ? {} : { tlsGroup: group }) }
}

/** A closed set: a peer's close code is one octet of ours or `other`. */
function reasonOf(cause: CloseCause): string {
  if (cause.by === 'error') return cause.error.code.toLowerCase()
  return `${cause.by}_${cause.code <= 6 ? cause.code : 'other'}`
}

function closeFields(cause: CloseCause): Record<string, unknown> {
  if (cause.by === 'error') return { family: cause.error.family, detail: cause.error.message }
  // What the peer wrote stays a field of its own: it is the peer's text.
  return cause.by === 'peer'
    ? { code: cause.code, peerReason: cause.reason }
    : { code: cause.code, detail: cause.reason }
}

function nameOf(table: Readonly<Record<string, number>>, value: number): string {
  return Object.keys(table).find((name) => table[name] === value) ?? String(value)
}
