import type { Metrics } from '@causeway/telemetry'
import { DropTally } from './drop-tally.ts'
import type { PeerAssociation } from './peer-association.ts'
import { TrafficMeter } from './traffic-meter.ts'

/** Label of what was sent and received before anybody knew by whom. */
const UNKNOWN_PEER = 'unknown'

/** The counters of the associations, as metrics: by peer, closed associations included. */
export class MeshTraffic {
  readonly #metrics: Metrics
  readonly #meters = new Map<string, TrafficMeter>()
  readonly #meterOf = new Map<PeerAssociation, TrafficMeter>()
  readonly #drops: DropTally

  constructor(metrics: Metrics) {
    this.#metrics = metrics
    this.#drops = new DropTally(metrics)
  }

  /** `peer`: where it is known from the start, as when dialling. */
  begin(association: PeerAssociation, peer: string = UNKNOWN_PEER): void {
    this.#attach(association, peer, 'start')
  }

  identified(association: PeerAssociation, peer: string): void {
    const meter = this.#meter(peer)
    if (this.#meterOf.get(association) === meter) return
    this.#meterOf.get(association)?.detach(association.core.counters)
    this.#attach(association, peer, 'now')
  }

  end(association: PeerAssociation): void {
    this.#meterOf.get(association)?.detach(association.core.counters)
    this.#meterOf.delete(association)
    this.#drops.end(association)
  }

  /** Brings up to date what is not read from the associations themselves; before somebody reads the metrics. */
  sync(): void {
    for (const association of this.#meterOf.keys()) this.#drops.count(association)
  }

  #attach(association: PeerAssociation, peer: string, from: 'start' | 'now'): void {
    const meter = this.#meter(peer)
    meter.attach(association.core.counters, from)
    this.#meterOf.set(association, meter)
  }

  #meter(peer: string): TrafficMeter {
    const known = this.#meters.get(peer)
    if (known !== undefined) return known
    const meter = new TrafficMeter()
    this.#meters.set(peer, meter)
    const metrics = this.#metrics
    metrics.observe('causeway_frames_sent_total', () => meter.read('framesSent'), { peer })
    metrics.observe('causeway_frames_received_total', () => meter.read('framesReceived'), { peer })
    metrics.observe('causeway_octets_sent_total', () => meter.read('octetsSent'), { peer })
    metrics.observe('causeway_octets_received_total', () => meter.read('octetsReceived'), { peer })
    metrics.observe('causeway_key_updates_total', () => meter.read('keyUpdatesSent'), { initiator: 'local' })
    metrics.observe('causeway_key_updates_total', () => meter.read('keyUpdatesReceived'), { initiator: 'remote' })
    return meter
  }
}
