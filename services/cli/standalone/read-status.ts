import { KIND_NAMES, type KindName } from '@causeway/mesh-api'
import { type MeshObject, meshObject, type WrittenObject } from '../objects/mesh-object.ts'

export interface StandaloneStatus {
  /** Why it is not ready; empty: it is. */
  readonly notReady: readonly string[]
  readonly objects: readonly MeshObject[]
  /** What is wrong with its files as they are now, which are therefore not in force. */
  readonly refused: readonly string[]
}

/** Whoever is at the address says nothing that we know. */
export class StandaloneError extends Error {
  override readonly name = 'StandaloneError'
}

const TIMEOUT_MS = 10_000

/**
 * Asks the admin listener of a `causeway up` for the state of its resources.
 * @param url as in http://127.0.0.1:9090
 * @throws {StandaloneError} when nothing answers there, or something else does
 */
export async function readStatus(url: string): Promise<StandaloneStatus> {
  if (!URL.canParse(url)) throw new StandaloneError(`${url} is no URL; it is as in http://127.0.0.1:9090`)
  const [ready, status] = await Promise.all([ask(new URL('/readyz', url)), ask(new URL('/status', url))])
  if (!status.ok)
    throw new StandaloneError(
      `${url} answers /status with ${status.code}: it is not what causeway up --admin listens on; the admin listener of a MeshRelay is another one`,
    )
  return { notReady: ready.ok ? [] : [reasonOf(ready.text)], ...stateOf(status.text, url) }
}

async function ask(url: URL): Promise<{ readonly ok: boolean; readonly code: number; readonly text: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { ok: response.ok, code: response.status, text: await response.text() }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new StandaloneError(`${url.origin} does not answer: ${cause}`)
  }
}

function stateOf(text: string, url: string): Pick<StandaloneStatus, 'objects' | 'refused'> {
  try {
    const { resources, refused = [] } = JSON.parse(text) as StatusText
    const objects = resources.flatMap((one) => (isKind(one.kind) ? [meshObject(one.kind, one)] : []))
    return { objects, refused: refused.map(String) }
  } catch {
    throw new StandaloneError(`what ${url}/status answers is not the state of a mesh`)
  }
}

interface StatusText {
  readonly resources: readonly (WrittenObject & { readonly kind: string })[]
  readonly refused?: readonly string[]
}

function isKind(kind: string): kind is KindName {
  return (KIND_NAMES as readonly string[]).includes(kind)
}

function reasonOf(text: string): string {
  try {
    const { reasons } = JSON.parse(text) as { reasons?: readonly string[] }
    return reasons?.join('; ') || 'not ready'
  } catch {
    return text.trim() || 'not ready'
  }
}
