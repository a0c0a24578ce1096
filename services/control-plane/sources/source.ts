import type { AnyResource, KindName } from '@causeway/mesh-api'

/**
 * Where objects come from: an API server, or files. A source starts to read when it is opened and tells its observer, in
 * the order in which it learns it, everything that there is and then everything that changes, until it is closed. It never
 * gives up: what it cannot read it tries again, by its own schedule.
 */
export interface Source {
  /**
   * Lists every kind anew, and resolves when the observer has been told everything that differs. Rejects with the reason
   * when the signal aborts or the source is closed before that; a listing that fails is tried again.
   */
  relist(options: RelistOptions): Promise<void>
  /** Ends reading; the observer is not called any more. Never rejects. */
  close(): Promise<void>
}

export interface RelistOptions {
  /**
   * The list must not come from a cache that may lag: on Kubernetes a list with resourceVersion unset (CONTROL section 3).
   * Its positions are right even where they are older than those that were told before.
   */
  readonly consistent: boolean
  readonly signal: AbortSignal
}

export interface SourceObserver {
  /** A change from one consistent state to the next. Never throws. */
  changed(change: SourceChange): void
  /** Every kind has been listed once: from now on what the observer knows is all that there is. Called once. */
  synced(): void
}

/**
 * What is different now. `upserts` and `removals` name no object twice. An object that is not valid stands in `invalid`
 * and in neither of the others: whoever has a last good version of it keeps that (CONTROL section 1).
 */
export interface SourceChange {
  readonly upserts: readonly SourceObject[]
  readonly removals: readonly ObjectId[]
  readonly invalid: readonly InvalidObject[]
  /** Namespaces whose labels are new or different, and those that are gone; grants by selector ask for them. */
  readonly namespaces?: NamespaceChange
  /** Up to where this change goes, for the kinds for which that is different now. A change may consist of it alone. */
  readonly positions: ReadonlyMap<KindName, Position>
}

/** An object that its schema and its own rules admit. */
export interface SourceObject {
  /** With its defaults; without status. */
  readonly resource: AnyResource
  /** Of metadata; files have none: empty. */
  readonly uid: string
  /** Of metadata; for files it grows when the object changes. */
  readonly generation: number
  /** It has a deletionTimestamp; it stays in force until it is gone. */
  readonly isDeleting: boolean
  readonly status: SourceStatus
}

/** What others have written into an object's status, as far as a configuration is made of it. */
export interface SourceStatus {
  /** `status.controller`: the installation that has accepted it. */
  readonly controller?: string
  /** Of a MeshRelay. */
  readonly identity?: RelayIdentityStatus
  /**
   * Of a MeshBackend or MeshPeer: projected file (`credentialFile` of mesh-api) -> SHA-256 of what it must hold, hexadecimal
   * (`status.credentials`).
   */
  readonly credentials?: ReadonlyMap<string, string>
}

/** `status.identity` of a MeshRelay: written by the operator, or found out from its keyFile by the files source. */
export interface RelayIdentityStatus {
  readonly state: 'Active' | 'Announced' | 'Switched' | 'Retired'
  /** PeerHandle of the key that signs. */
  readonly peerHandle: string
  /** PeerHandle of the announced key. */
  readonly next?: string
  /** In state Switched: PeerHandle of the key that signed before. */
  readonly previous?: string
  /** The Secrets of the keys, whose slots their names say; none for files. */
  readonly secretName?: string
  readonly nextSecretName?: string
  /** Base64: the successor statement, signed by both keys. */
  readonly successor?: string
}

/** Which object, as `namespace/name` of its kind. */
export interface ObjectId {
  readonly kind: KindName
  readonly name: string
}

/** An object that is stored and that its schema or its rules do not admit. */
export interface InvalidObject extends ObjectId {
  readonly uid: string
  readonly generation: number
  readonly problems: readonly InvalidField[]
}

export interface InvalidField {
  /** As in `spec.addresses[0]`; empty: the object. */
  readonly fieldPath: string
  readonly message: string
}

export interface NamespaceChange {
  readonly upserts: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[]
  readonly removals: readonly string[]
}

/** How far a source has been read (CONTROL section 3). */
export interface Position {
  /** 16 octets: which source. */
  readonly source: Uint8Array
  /** u64: grows with every change of the source. */
  readonly value: bigint
}
