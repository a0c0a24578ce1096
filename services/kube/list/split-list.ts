import { KubeError } from '../rest/kube-error.ts'

export interface SplitLimits {
  /** The largest object that is parsed. */
  readonly maxObjectOctets: number
  readonly what: string
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** What a list has beside its items: kind and metadata. */
const MAX_ENVELOPE_OCTETS = 64 * 1_024
/** Depth of an object inside `{"items": [`. */
const ITEM_DEPTH = 2

/**
 * Cuts a list answer into its items as the octets arrive, so that never more than one object of a page is in memory as
 * text: 500 objects of a megabyte each would be a way to make us run out of it.
 */
export class ListSplitter {
  readonly #limits: SplitLimits
  readonly #onItem: (item: Buffer) => void
  readonly #envelope: Buffer[] = []
  #envelopeOctets = 0
  #item: Buffer[] = []
  #itemOctets = 0
  #depth = 0
  #inItems = false
  #inString = false
  #escaped = false

  /** `onItem` gets the text of each object in turn. */
  constructor(limits: SplitLimits, onItem: (item: Buffer) => void) {
    this.#limits = limits
    this.#onItem = onItem
  }

  /** @throws {KubeError} `TooLarge` */
  push(chunk: Buffer): void {
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const octet = chunk[index]
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (octet === BACKSLASH) this.#escaped = true
        else if (octet === QUOTE) this.#inString = false
        continue
      }
      switch (octet) {
        case QUOTE:
          this.#inString = true
          break
        case OPEN_BRACKET:
          if (this.#depth === 1 && this.#endsWithItemsKey(chunk.subarray(start, index))) {
            this.#keep(chunk.subarray(start, index + 1))
            start = index + 1
            this.#inItems = true
          }
          this.#depth++
          break
        case OPEN_BRACE:
          if (this.#inItems && this.#depth === ITEM_DEPTH) start = index
          this.#depth++
          break
        case CLOSE_BRACE:
          this.#depth--
          if (this.#inItems && this.#depth === ITEM_DEPTH) {
            this.#keep(chunk.subarray(start, index + 1))
            start = index + 1
            this.#emit()
          }
          break
        case CLOSE_BRACKET:
          this.#depth--
          if (this.#inItems && this.#depth === 1) {
            this.#inItems = false
            start = index
          }
          break
      }
    }
    // Between two items there are only commas and white space.
    if (!this.#inItems || this.#depth > ITEM_DEPTH) this.#keep(chunk.subarray(start))
  }

  /** What stands around the items, as the text of a list with none. */
  end(): Buffer {
    return Buffer.concat(this.#envelope)
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    if (this.#inItems) {
      this.#itemOctets += part.length
      if (this.#itemOctets > this.#limits.maxObjectOctets) {
        throw new KubeError(
          'TooLarge',
          `${this.#limits.what}: an object has more than ${this.#limits.maxObjectOctets} octets`,
        )
      }
      this.#item.push(part)
      return
    }
    this.#envelopeOctets += part.length
    if (this.#envelopeOctets > MAX_ENVELOPE_OCTETS) {
      throw new KubeError('TooLarge', `${this.#limits.what}: the list has more than ${MAX_ENVELOPE_OCTETS} octets`)
    }
    this.#envelope.push(part)
  }

  #emit(): void {
    const [first] = this.#item
    const item = this.#item.length === 1 && first !== undefined ? first : Buffer.concat(this.#item)
    this.#item = []
    this.#itemOctets = 0
    this.#onItem(item)
  }

  #endsWithItemsKey(part: Buffer): boolean {
    const text = Buffer.concat([...this.#envelope, part]).toString('latin1')
    return /"items"\s*:\s*$/.test(text)
  }
}
