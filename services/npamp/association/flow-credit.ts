/**
 * How much the peer lets us send (digest 01 9.5): octets behind the headers of frames of type 0x0030 and above, all
 * channels together, counted from Established. Unlimited until the first FLOW_UPDATE; we never send one ourselves.
 */
export class FlowCredit {
  #sentOctets = 0
  #limitOctets = Infinity

  allows(payloadOctets: number): boolean {
    return this.#sentOctets + payloadOctets <= this.#limitOctets
  }

  spend(payloadOctets: number): void {
    this.#sentOctets += payloadOctets
  }

  /** The first grant limits, later ones only ever raise; smaller or equal values are ignored. */
  grant(cumulativeOctets: bigint): void {
    const octets = Number(cumulativeOctets)
    if (this.#limitOctets === Infinity || octets > this.#limitOctets) this.#limitOctets = octets
  }
}
