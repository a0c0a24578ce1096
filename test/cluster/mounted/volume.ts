import type { ApiClient } from '../api/client.ts'
import { replaceFiles } from './atomic-folder.ts'
import { type Content, followObject } from './followed-object.ts'

/** One Secret or ConfigMap of a projected volume. */
export interface VolumeSource {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly name: string
  /** What becomes of each key; default: every key, under its own name. */
  readonly items?: readonly { readonly key: string; readonly path: string }[]
  /** An object or key that is not there means no file; default: the volume waits for it. */
  readonly optional?: boolean
}

export interface VolumeOptions {
  readonly client: ApiClient
  readonly namespace: string
  readonly folder: string
  readonly sources: readonly VolumeSource[]
}

export interface MountedVolume {
  readonly folder: string
  /** Resolves when the files are there for the first time: when a pod would start. */
  readonly ready: Promise<void>
  /** Ends the updates; the files stay. */
  unmount(): Promise<void>
}

/**
 * What kubelet does for a volume of Secrets and ConfigMaps, for a process that runs in no pod: keeps `folder` like the
 * objects, all files at once, and without kubelet's delay. As kubelet does, it keeps the files of a required object that
 * is deleted later.
 */
export function mountVolume(options: VolumeOptions): MountedVolume {
  const stopped = new AbortController()
  const volume = new Volume(options)
  const followers = options.sources.map(({ kind, name }, index) =>
    followObject(options.client, { kind, namespace: options.namespace, name }, stopped.signal, (content) =>
      volume.update(index, content),
    ),
  )
  return {
    folder: options.folder,
    ready: volume.written,
    async unmount() {
      stopped.abort()
      await Promise.all(followers)
      await volume.idle
    },
  }
}

class Volume {
  readonly #options: VolumeOptions
  readonly #contents: (Content | undefined)[]
  readonly #told = new Set<number>()
  readonly #written = Promise.withResolvers<void>()
  /** The write under way, after which the next one begins. */
  #turn: Promise<void> = Promise.resolve()

  constructor(options: VolumeOptions) {
    this.#options = options
    this.#contents = options.sources.map(() => undefined)
  }

  get written(): Promise<void> {
    return this.#written.promise
  }

  get idle(): Promise<void> {
    return this.#turn
  }

  update(index: number, content: Content | undefined): void {
    this.#told.add(index)
    this.#contents[index] = content
    if (this.#told.size < this.#contents.length) return
    const files = this.#files()
    if (files === undefined) return
    this.#turn = this.#turn.then(() => replaceFiles(this.#options.folder, files))
    this.#turn.then(this.#written.resolve, this.#written.reject)
  }

  /** Undefined while something is missing that is not optional. */
  #files(): Map<string, Buffer> | undefined {
    const files = new Map<string, Buffer>()
    for (const [index, source] of this.#options.sources.entries()) {
      const content = this.#contents[index]
      if (content === undefined && source.optional !== true) return undefined
      const items = source.items ?? [...(content ?? new Map()).keys()].map((key) => ({ key, path: key }))
      for (const { key, path } of items) {
        const value = content?.get(key)
        if (value !== undefined) files.set(path, value)
        else if (source.optional !== true) return undefined
      }
    }
    return files
  }
}
