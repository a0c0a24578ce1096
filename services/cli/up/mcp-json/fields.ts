import type { FieldPath } from '@causeway/mesh-api'
import type { JsonNode, JsonObject } from '../../jsonc/node.ts'
import { expand } from './expand.ts'
import type { Reading } from './reading.ts'
import type { Origin } from './servers.ts'

/** A text of the file with its variables replaced, and where it stands. */
export interface Text extends Origin {
  readonly text: string
}

/** Reads the fields of one object of the file; what is wrong goes to the findings, and is undefined here. */
export class Fields {
  readonly #object: JsonObject
  readonly #path: FieldPath
  readonly #reading: Reading

  constructor(object: JsonObject, path: FieldPath, reading: Reading) {
    this.#object = object
    this.#path = path
    this.#reading = reading
  }

  get names(): readonly string[] {
    return this.#object.members.map(({ name }) => name)
  }

  at(name: string): Origin {
    const member = this.#object.members.find((one) => one.name === name)
    return { path: [...this.#path, name], offset: member?.nameStart ?? this.#object.start }
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  boolean(name: string): boolean | undefined {
    const node = this.#find(name)
    if (node === undefined) return undefined
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value
    return this.#reading.findings.error(this.#place(node, name), 'must be true or false')
  }

  text(name: string): Text | undefined {
    const node = this.#find(name)
    return node === undefined ? undefined : this.#text(node, [name])
  }

  texts(name: string): readonly Text[] {
    const node = this.#find(name)
    if (node === undefined) return []
    if (node.kind === 'array') return defined(node.elements.map((element, index) => this.#text(element, [name, index])))
    this.#reading.findings.error(
      this.#place(node, name),
      `must be a list, such as "${name}": ["-y", "some-mcp-server"]`,
    )
    return []
  }

  /** Name -> text, for an object whose values are texts. */
  map(name: string, example: string): ReadonlyMap<string, Text> {
    const node = this.#find(name)
    if (node === undefined) return new Map()
    if (node.kind !== 'object') {
      this.#reading.findings.error(this.#place(node, name), `must be an object, such as "${name}": ${example}`)
      return new Map()
    }
    const entries = node.members.map(({ name: key, value }): [string, Text | undefined] => [
      key,
      this.#text(value, [name, key]),
    ])
    return new Map(entries.filter((entry): entry is [string, Text] => entry[1] !== undefined))
  }

  /** A field that is null is not set. */
  #find(name: string): JsonNode | undefined {
    const node = this.#object.members.find((one) => one.name === name)?.value
    return node?.kind === 'scalar' && node.value === null ? undefined : node
  }

  #text(node: JsonNode, steps: FieldPath): Text | undefined {
    const at = this.#place(node, ...steps)
    if (node.kind !== 'scalar' || typeof node.value !== 'string') {
      const quoted = node.kind === 'scalar' && node.value !== null ? '; write it in "quotes"' : ''
      return this.#reading.findings.error(at, `must be a string${quoted}`)
    }
    const expanded = expand(node.value, this.#reading)
    return 'problem' in expanded ? this.#reading.findings.error(at, expanded.problem) : { ...at, text: expanded.text }
  }

  #place(node: JsonNode, ...steps: FieldPath): Origin {
    return { path: [...this.#path, ...steps], offset: node.start }
  }
}

function defined<Value>(values: readonly (Value | undefined)[]): Value[] {
  return values.filter((value) => value !== undefined)
}
