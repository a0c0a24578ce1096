import type { z } from 'zod'
import { formsOf, type Words } from '../schema/forms.ts'
import { type Structural, structural } from '../schema/structural.ts'

/**
 * A structural schema made ready for checking values: the same that an API server reads, with the words of our fields.
 * It reads no other keyword than the generator writes.
 */
export type Node = ObjectNode | MapNode | ListNode | StringNode | IntegerNode | BooleanNode

interface AnyNode {
  /** What an absent field gets; undefined where it stays absent. */
  readonly default: unknown
}

export interface ObjectNode extends AnyNode {
  readonly type: 'object'
  readonly fields: ReadonlyMap<string, Node>
  readonly required: readonly string[]
}

export interface MapNode extends AnyNode {
  readonly type: 'map'
  readonly value: Node
  readonly maxEntries: number
}

export interface ListNode extends AnyNode {
  readonly type: 'list'
  readonly entry: Node
  readonly min: number
  readonly max: number
  /** Fields by which entries are told apart; none: by all of the entry. Undefined where entries may be equal. */
  readonly keys: readonly string[] | undefined
}

export interface StringNode extends AnyNode {
  readonly type: 'string'
  /** In code points, as an API server counts. */
  readonly min: number
  readonly max: number
  readonly pattern: RegExp | undefined
  readonly values: readonly string[] | undefined
  readonly words: Words
}

export interface IntegerNode extends AnyNode {
  readonly type: 'integer'
  readonly min: number
  readonly max: number
}

interface BooleanNode extends AnyNode {
  readonly type: 'boolean'
}

/** The plan of a schema; `at` is its name in the paths of `formsOf`. */
export function planOf(schema: z.ZodObject, at: string): Node {
  return node(structural(schema), at, formsOf(schema, at))
}

function node(schema: Structural, at: string, forms: ReadonlyMap<string, Words>): Node {
  const common = { default: schema.default }
  switch (schema.type) {
    case 'object':
      return {
        ...common,
        ...(schema.properties === undefined ? mapNode(schema, at, forms) : objectNode(schema, at, forms)),
      }
    case 'array':
      return { ...common, ...listNode(schema, at, forms) }
    case 'string':
      return {
        ...common,
        type: 'string',
        min: optionalNumber(schema.minLength) ?? 0,
        max: optionalNumber(schema.maxLength) ?? Number.POSITIVE_INFINITY,
        pattern: typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : undefined,
        values: Array.isArray(schema.enum) ? schema.enum.map(String) : undefined,
        words: forms.get(at) ?? {},
      }
    case 'integer':
      return {
        ...common,
        type: 'integer',
        min: optionalNumber(schema.minimum) ?? Number.MIN_SAFE_INTEGER,
        max: optionalNumber(schema.maximum) ?? Number.MAX_SAFE_INTEGER,
      }
    case 'boolean':
      return { ...common, type: 'boolean' }
  }
}

type Bare<Of extends Node> = Omit<Of, 'default'>

function objectNode(schema: Structural, at: string, forms: ReadonlyMap<string, Words>): Bare<ObjectNode> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]): [string, Node] => [
    name,
    node(field, `${at}.${name}`, forms),
  ])
  return { type: 'object', fields: new Map(fields), required: schema.required ?? [] }
}

function mapNode(schema: Structural, at: string, forms: ReadonlyMap<string, Words>): Bare<MapNode> {
  if (schema.additionalProperties === undefined) throw new TypeError(`${at}: neither fields nor values`)
  const maxEntries = optionalNumber(schema.maxProperties) ?? Number.POSITIVE_INFINITY
  return { type: 'map', value: node(schema.additionalProperties, `${at}{}`, forms), maxEntries }
}

function listNode(schema: Structural, at: string, forms: ReadonlyMap<string, Words>): Bare<ListNode> {
  if (schema.items === undefined) throw new TypeError(`${at}: a list of nothing`)
  return {
    type: 'list',
    entry: node(schema.items, `${at}[]`, forms),
    min: optionalNumber(schema.minItems) ?? 0,
    max: optionalNumber(schema.maxItems) ?? Number.POSITIVE_INFINITY,
    keys: keysOf(schema),
  }
}

function keysOf(schema: Structural): readonly string[] | undefined {
  switch (schema['x-kubernetes-list-type']) {
    case 'map':
      return (schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined) ?? []
    case 'set':
      return []
    default:
      return undefined
  }
}

function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
