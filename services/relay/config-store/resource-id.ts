import { type ResourceKind, resourceKindOf } from '@causeway/rpc'
import type { ResourceId } from './contract.ts'

/** The resource that a key stands for; undefined: of a kind that this version does not know. */
export function resourceIdOf(key: string): ResourceId | undefined {
  const slash = key.indexOf('/')
  const kind = resourceKindOf(Number(key.slice(0, slash)) as ResourceKind)
  return kind && { kind, name: key.slice(slash + 1) }
}
