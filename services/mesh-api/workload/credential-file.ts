import { createHash } from 'node:crypto'

/** One entry of a Secret or ConfigMap that an object of the mesh names. */
export interface DataEntry {
  readonly kind: 'Secret' | 'ConfigMap'
  /** That of the object which names it. */
  readonly namespace: string
  readonly name: string
  readonly key: string
}

/** A key of a Secret has at most 253 characters. */
const MAX_KEY = 253
const DIGEST_CHARACTERS = 32

/**
 * The name under which the operator projects an entry into the credentials Secret of a relay, and the relay finds it in
 * the folder `credentials`. Namespaces and names of objects have no `_`, so no two entries have the same.
 */
export function credentialFile({ kind, namespace, name, key }: DataEntry): string {
  const file = `${kind.toLowerCase()}_${namespace}_${name}_${key}`
  if (file.length <= MAX_KEY) return file
  const digest = createHash('sha256').update(file).digest('hex').slice(0, DIGEST_CHARACTERS)
  return `${file.slice(0, MAX_KEY - DIGEST_CHARACTERS - 1)}_${digest}`
}
