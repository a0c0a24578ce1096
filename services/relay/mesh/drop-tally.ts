import type { Metrics } from '@causeway/telemetry'
import type { PeerAssociation } from './peer-association.ts'

/** Moves what associations and bridges ignored, by reason, into the metrics that these reasons belong to. */
export class DropTally {
  readonly #metrics: Metrics
  /** What of an association has been moved already; most have dropped nothing and have no entry. */
  readonly #counted = new Map<PeerAssociation, Map<string, number>>()

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  count(association: PeerAssociation): void {
    for (const drops of association.drops) {
      for (const [reason, count] of drops) this.#move(association, reason, count)
    }
  }

  end(association: PeerAssociation): void {
    this.count(association)
    this.#counted.delete(association)
  }

  #move(association: PeerAssociation, reason: string, count: number): void {
    let counted = this.#counted.get(association)
    if (counted === undefined) {
      counted = new Map()
      this.#counted.set(association, counted)
    }
    const fresh = count - (counted.get(reason) ?? 0)
    if (fresh <= 0) return
    counted.set(reason, count)
    this.#add(reason, fresh)
  }

  #add(reason: string, count: number): void {
    const metrics = this.#metrics
    switch (reason) {
      case 'link_op':
        metrics.add('causeway_link_ops_ignored_total', count)
        break
      case 'extensions_malformed':
      case 'extensions_missing':
      case 'misplaced_extension':
        metrics.add('causeway_extensions_ignored_total', count, { reason })
        break
      case 'parameter':
        metrics.add('causeway_service_parameters_dropped_total', count, { reason: 'forbidden' })
        break
      case 'late_reply':
        metrics.add('causeway_late_replies_total', count, { side: 'mesh_out' })
        break
      case 'reply_after_end':
        metrics.add('causeway_late_replies_total', count, { side: 'mesh_in' })
        break
      case 'malformed_notification':
      case 'unsupported_notification':
        metrics.add('causeway_notifications_dropped_total', count, { reason })
        break
      default:
        metrics.add('causeway_frames_dropped_total', count, { reason })
    }
  }
}
