import { isKubeError, type KubeClient, type KubeObject, type ResourceType } from '@causeway/kube'
import { IN_USE_FINALIZER } from '@causeway/mesh-api'
import { HELD_TYPES } from './held-types.ts'

interface Released {
  readonly kind: string
  readonly name: string
  /** It was deleted before, and is gone now unless somebody else holds it. */
  readonly wasDeleted: boolean
}

interface NotReleased {
  readonly kind: string
  /** Left out when not even the list of the kind could be had. */
  readonly name?: string
  readonly message: string
}

export interface ReleaseResult {
  readonly released: readonly Released[]
  readonly failures: readonly NotReleased[]
}

/** How many objects are freed at a time: a thousand of them take some seconds. */
const CONCURRENCY = 16
/** Somebody else may change the list of finalizers at the same moment. */
const ATTEMPTS = 5

/**
 * Takes the finalizer of the operator from every object that has it, as somebody must when the operator is gone. Kinds
 * whose definition is gone have no objects any more; those whose definition is being deleted still have.
 * @param namespaces where to look; empty: everywhere
 */
export async function releaseAll(client: KubeClient, namespaces: readonly string[]): Promise<ReleaseResult> {
  const released: Released[] = []
  const failures: NotReleased[] = []
  const held: { type: ResourceType; object: KubeObject }[] = []
  for (const type of HELD_TYPES) {
    for (const namespace of namespaces.length === 0 ? [undefined] : namespaces) {
      try {
        const selection = { type, metadataOnly: true, ...(namespace === undefined ? {} : { namespace }) }
        const { items } = await client.list(selection)
        held.push(...items.filter(isHeld).map((object) => ({ type, object })))
      } catch (error) {
        if (isKubeError(error, 'NotFound')) continue
        if (!isKubeError(error, 'Forbidden')) throw error
        failures.push({ kind: type.kind, message: messageOf(error) })
      }
    }
  }
  await eachOf(held, async ({ type, object }) => {
    const name = `${object.metadata.namespace ?? ''}/${object.metadata.name}`
    try {
      await releaseOne(client, type, object)
      released.push({ kind: type.kind, name, wasDeleted: object.metadata.deletionTimestamp !== undefined })
    } catch (error) {
      failures.push({ kind: type.kind, name, message: messageOf(error) })
    }
  })
  return { released, failures }
}

async function releaseOne(client: KubeClient, type: ResourceType, first: KubeObject): Promise<void> {
  let object: KubeObject | undefined = first
  for (let attempt = 1; object !== undefined && isHeld(object); attempt += 1) {
    const path = `/metadata/finalizers/${object.metadata.finalizers?.indexOf(IN_USE_FINALIZER)}`
    try {
      // The position may be another's by now: without the test that one would lose its finalizer.
      const patch = [{ op: 'test', path, value: IN_USE_FINALIZER } as const, { op: 'remove', path } as const]
      await client.patch(type, object.metadata, { kind: 'json', patch })
      return
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return
      if (!isKubeError(error, 'Invalid', 'Conflict') || attempt === ATTEMPTS) throw error
      object = await againOf(client, type, object)
    }
  }
}

/** Listed by its name: whoever may do this may list and patch, and nothing else. */
async function againOf(client: KubeClient, type: ResourceType, object: KubeObject): Promise<KubeObject | undefined> {
  const { name, namespace } = object.metadata
  const where = { fieldSelector: `metadata.name=${name}`, ...(namespace === undefined ? {} : { namespace }) }
  const { items } = await client.list({ type, metadataOnly: true, ...where })
  return items[0]
}

function isHeld({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(IN_USE_FINALIZER) === true
}

async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
