import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '@causeway/npamp/transports'
import { Dialler, type DiallerOptions } from './dialler.ts'
import type { PeerAssociation } from './peer-association.ts'
import { dialsOtherwise, type PeerAddress, type PeerConfig } from './peer-config.ts'

/** What dialling needs besides what the configuration of the peer says. */
export type DiallingContext = Omit<DiallerOptions, 'addresses' | 'clock' | 'create' | 'onFailed' | 'onRetry'>

export interface PeerDiallingOptions extends Pick<DiallerOptions, 'onFailed' | 'onRetry'> {
  readonly clock: Clock
  /** Asked for anew when the way of dialling changes. */
  readonly contextOf: (config: PeerConfig) => DiallingContext
  /** An association, not opened yet. */
  readonly create: () => PeerAssociation
}

/** How one peer is dialled now, and how each of its associations was. */
export class PeerDialling {
  readonly #options: PeerDiallingOptions
  readonly #dialledAt = new WeakMap<PeerAssociation, PeerAddress>()
  #dialler: Dialler

  constructor(options: PeerDiallingOptions, config: PeerConfig) {
    this.#options = options
    this.#dialler = this.#newDialler(config)
  }

  get dialler(): Dialler {
    return this.#dialler
  }

  /** The answer tells of associations whether they were dialled by us in a way in which they would not be dialled any more. */
  change(before: PeerConfig, after: PeerConfig): (association: PeerAssociation) => boolean {
    if (!dialsOtherwise(before, after)) return () => false
    this.#dialler.stop('the way to the peer has changed')
    this.#dialler = this.#newDialler(after)
    const { addresses, tls, profile } = after
    const isAnother = profile !== before.profile || !isDeepStrictEqual(tls, before.tls)
    return (association) => {
      const at = this.#dialledAt.get(association)
      if (at === undefined) return false
      return isAnother || !addresses.some(({ host, port }) => host === at.host && port === at.port)
    }
  }

  #newDialler(config: PeerConfig): Dialler {
    const { clock, contextOf, create, onFailed, onRetry } = this.#options
    return new Dialler({
      ...contextOf(config),
      addresses: config.dial === 'never' ? [] : config.addresses,
      clock,
      create: (address) => {
        const association = create()
        this.#dialledAt.set(association, address)
        return association
      },
      onFailed,
      onRetry,
    })
  }
}
