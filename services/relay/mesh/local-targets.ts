import type { CallTarget, SessionEndReason } from '../exchanges/contract.ts'

/** What peers can reach on this relay. */
export interface LocalTargets {
  /**
   * The target of this wire name that this peer (`namespace/name`) may reach. Unknown and not permitted are the same answer:
   * a peer must not learn what exists.
   */
  find(wireName: string, peerName: string): LocalTarget | undefined
}

export interface LocalTarget {
  /**
   * A caller's own view: sessions of different scopes never meet. `onSessionLost`: the target ended a session of this
   * scope, or was sent something for one that it does not know.
   */
  scope(onSessionLost: (sessionId: string, reason: 'backend' | 'unknown') => void): TargetScope
}

export interface TargetScope extends CallTarget {
  /** The caller is gone: every session of this scope ends. */
  end(reason: SessionEndReason): void
}
