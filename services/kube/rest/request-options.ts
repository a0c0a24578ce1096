import type { KubeObject, ResourceType } from '../objects.ts'

/** An object on its way to the API server: it may say less than one that comes from there. */
export type Written<T extends KubeObject> = Omit<T, 'apiVersion' | 'kind'> & Pick<KubeObject, 'apiVersion' | 'kind'>

export interface RequestOptions {
  readonly signal?: AbortSignal
  /** Default 15 s, for the whole answer. */
  readonly timeoutMs?: number
  /** e.g. `status`. */
  readonly subresource?: string
}

export interface WriteOptions extends RequestOptions {
  /** Who owns the fields; default: the client's. */
  readonly fieldManager?: string
  /** Everything is checked, nothing is stored. */
  readonly dryRun?: boolean
  /** What the API server does with unknown fields; default `Strict`. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields from other managers; without it that is a `Conflict` whose causes name the fields. */
  readonly force?: boolean
}

export interface DeleteOptions extends RequestOptions {
  /** A `Conflict` when the object is not this one any more. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  readonly gracePeriodSeconds?: number
  readonly dryRun?: boolean
}

/** A change of parts. A `resourceVersion` inside the merge patch's metadata (or a JSON patch `test`) makes it conditional. */
export type Patch =
  | { readonly kind: 'merge'; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly kind: 'json'; readonly patch: readonly JsonPatchOperation[] }

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'

/** One finished request (for a watch: its end). */
export interface RequestReport {
  readonly verb: Verb
  readonly type: ResourceType<never>
  readonly subresource: string | undefined
  /** `OK`, or the code of the error. */
  readonly code: string
  readonly durationMs: number
}
