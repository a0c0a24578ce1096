import { isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml'
import { type FieldPath, printable } from './field-path.ts'
import { FILE_LIMITS } from './limits.ts'
import { keyOf, type Locator, startOf } from './locate.ts'
import type { Problem } from './problem.ts'

/**
 * The values of a document as plain objects, lists, strings, numbers, booleans and null. Whatever makes a document mean
 * something else than it shows is a problem: aliases, tags, keys that repeat or are no strings. When there are problems
 * the value is incomplete.
 */
export function toPlain(node: Node | null, locator: Locator): { value: unknown; problems: Problem[] } {
  const reader = new PlainReader(locator)
  const value = reader.read(node, [])
  return { value, problems: reader.problems }
}

class PlainReader {
  readonly problems: Problem[] = []
  readonly #locator: Locator
  #nodes = 0

  constructor(locator: Locator) {
    this.#locator = locator
  }

  read(node: unknown, path: FieldPath): unknown {
    this.#nodes++
    if (this.#nodes === FILE_LIMITS.nodes + 1)
      this.#refuse(node, path, `there are more than ${FILE_LIMITS.nodes} values`)
    if (this.#nodes > FILE_LIMITS.nodes) return undefined
    if (isAlias(node)) return this.#refuse(node, path, 'aliases are not supported')
    if (isScalar(node)) return this.#scalar(node, path)
    if (path.length >= FILE_LIMITS.depth) {
      return this.#refuse(node, path.slice(0, 1), `is nested more than ${FILE_LIMITS.depth} deep`)
    }
    if (isMap(node)) return this.#map(node, path)
    if (isSeq(node)) return this.#list(node, path)
    return null
  }

  #scalar(node: { value: unknown; tag?: string | undefined }, path: FieldPath): unknown {
    const { value } = node
    const known = value === null || ['string', 'number', 'boolean'].includes(typeof value)
    return known ? value : this.#refuse(node, path, 'is of a YAML type that is not supported')
  }

  #map(node: YAMLMap, path: FieldPath): unknown {
    const entries = new Map<string, unknown>()
    for (const pair of node.items) {
      const key = keyOf(pair)
      if (key === undefined) this.#refuse(pair.key, path, 'has a key that is no string')
      else if (entries.has(key)) this.#refuse(pair.key, path, `has the key ${printable(key)} twice`)
      // It would name no field, but the prototype.
      else if (key === '__proto__') this.#refuse(pair.key, path, 'must not have the key "__proto__"')
      // As Kubernetes has it: a field that is null is a field that is not set. Its name must be known all the same.
      else entries.set(key, this.read(pair.value, [...path, key]) ?? undefined)
    }
    return Object.fromEntries(entries)
  }

  #list(node: YAMLSeq, path: FieldPath): unknown {
    return node.items.map((item, index) => this.read(item, [...path, index]))
  }

  #refuse(node: unknown, path: FieldPath, message: string): undefined {
    const offset = startOf(node)
    if (this.problems.length >= FILE_LIMITS.problems) return undefined
    this.problems.push(
      offset === undefined ? this.#locator.problem(path, message) : this.#locator.problemAt(offset, message, path),
    )
    return undefined
  }
}
