import type { KubeObject } from '../objects.ts'
import type { KubeError } from '../rest/kube-error.ts'
import { Reflector, type ReflectorOptions } from './reflector.ts'

export interface InformerOptions<T extends KubeObject, S extends KubeObject = T>
  extends Omit<ReflectorOptions<T, S>, 'namespace'> {
  /** `*`: one watch of the whole cluster; else one for each namespace. Ignored for a type without namespaces. */
  readonly namespaces: '*' | readonly string[]
}

export interface InformerListener<S extends KubeObject> {
  readonly upsert: (object: S, old: S | undefined) => void
  readonly remove: (object: S) => void
  /** Once: everything has been listed for the first time and told. */
  readonly synced?: () => void
  /** The position moved; `position` has the new one. */
  readonly moved?: () => void
  /** A list or watch failed; it is tried again. */
  readonly failing?: (error: KubeError) => void
}

/** The objects of one type in the namespaces of the installation: one reflector for each. */
export class Informer<T extends KubeObject, S extends KubeObject = T> {
  readonly #reflectors: readonly Reflector<T, S>[]
  readonly #listener: InformerListener<S>
  #isSynced = false

  constructor(options: InformerOptions<T, S>, listener: InformerListener<S>) {
    const { namespaces, ...rest } = options
    const scopes = namespaces === '*' || !options.type.namespaced ? [{}] : unique(namespaces)
    if (scopes.length === 0) throw new TypeError('an informer watches at least one namespace')
    this.#listener = listener
    this.#reflectors = scopes.map(
      (scope) =>
        new Reflector<T, S>(
          { ...rest, ...scope },
          {
            upsert: listener.upsert,
            remove: listener.remove,
            listed: () => this.#moved(),
            position: () => this.#moved(),
            failing: (error) => listener.failing?.(error),
          },
        ),
    )
  }

  start(): void {
    for (const reflector of this.#reflectors) reflector.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()))
  }

  /** Whether everything has been listed once. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /** By `namespace/name`, see `keyOf`. */
  get(key: string): S | undefined {
    for (const reflector of this.#reflectors) {
      const object = reflector.objects.get(key)
      if (object !== undefined) return object
    }
    return undefined
  }

  *values(): IterableIterator<S> {
    for (const reflector of this.#reflectors) yield* reflector.objects.values()
  }

  get size(): number {
    return this.#reflectors.reduce((sum, reflector) => sum + reflector.objects.size, 0)
  }

  /** Up to which resource version everything is known: the oldest of the namespaces. Undefined before `synced`. */
  get position(): bigint | undefined {
    let oldest: bigint | undefined
    for (const { position } of this.#reflectors) {
      if (position === undefined) return undefined
      const value = BigInt(position)
      if (oldest === undefined || value < oldest) oldest = value
    }
    return oldest
  }

  /** Lists everything again, consistently, beginning after this call; resolves once all of it has been told. */
  async relist(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.relist()))
  }

  #moved(): void {
    if (!this.#isSynced && this.#reflectors.every((reflector) => reflector.position !== undefined)) {
      this.#isSynced = true
      this.#listener.synced?.()
    }
    this.#listener.moved?.()
  }
}

function unique(namespaces: readonly string[]): { namespace: string }[] {
  return [...new Set(namespaces)].map((namespace) => ({ namespace }))
}
