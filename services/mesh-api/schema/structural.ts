import { z } from 'zod'

/** A node of a structural schema: OpenAPI v3 as a CustomResourceDefinition has it. */
export interface Structural {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Structural>>
  readonly additionalProperties?: Structural
  readonly required?: readonly string[]
  readonly items?: Structural
  readonly 'x-kubernetes-validations'?: readonly object[]
  readonly [keyword: string]: unknown
}

/**
 * The structural image of a schema. Throws for whatever has none: a keyword that is not in the table below is a form that
 * the kinds must not use, or one that somebody has to think about here.
 */
export function structural(schema: z.ZodObject): Structural {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'throw',
    reused: 'inline',
    override: ({ zodSchema }) => refuseBoundedKeys(zodSchema),
  })
  return image(json, '')
}

/** zod leaves bounds of keys out without a word. A CRD cannot say them: any string, or a rule in CEL. */
function refuseBoundedKeys(schema: z.core.$ZodType): void {
  if (!(schema instanceof z.ZodRecord)) return
  const { keyType } = schema
  const bounded = !(keyType instanceof z.ZodString) || (keyType.def.checks ?? []).length > 0
  if (bounded) throw new TypeError('bounds of the keys of a map have no structural form')
}

const KEPT: Readonly<Record<Structural['type'], readonly string[]>> = {
  object: ['properties', 'additionalProperties', 'required', 'maxProperties', 'x-kubernetes-map-type'],
  array: ['items', 'minItems', 'maxItems', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys'],
  string: ['minLength', 'maxLength', 'pattern', 'enum', 'format'],
  integer: ['minimum', 'maximum'],
  boolean: [],
}

const INT32 = 2 ** 31 - 1

function image(json: unknown, at: string): Structural {
  if (!isNode(json)) throw new TypeError(`${at}: not a schema`)
  const type = typeOf(json.type, at)
  for (const keyword of Object.keys(json)) {
    if (!['type', 'description', 'default', ...KEPT[type]].includes(keyword)) {
      throw new TypeError(`${at}: ${keyword} of ${type} has no structural form`)
    }
  }
  const ordered = ['type', 'description', 'default', ...KEPT[type]].filter((keyword) => json[keyword] !== undefined)
  const node = Object.fromEntries(ordered.map((keyword) => [keyword, json[keyword]]))
  return { ...node, ...inner(type, json, at), type }
}

/** What of a node is made of other nodes, or is written otherwise in a CRD. */
function inner(type: Structural['type'], json: Node, at: string): Partial<Structural> {
  switch (type) {
    case 'object':
      return objectParts(json, at)
    case 'array':
      if (json['x-kubernetes-list-type'] === undefined) throw new TypeError(`${at}: list without a list type`)
      return { items: image(json.items, `${at}[]`) }
    case 'string':
      return typeof json.pattern === 'string' ? { pattern: portable(json.pattern) } : {}
    case 'integer':
      return { format: Number(json.maximum) <= INT32 && Number(json.minimum) >= -INT32 ? 'int32' : 'int64' }
    case 'boolean':
      return {}
  }
}

function objectParts(json: Node, at: string): Partial<Structural> {
  if (json.properties === undefined) {
    return { additionalProperties: image(json.additionalProperties, `${at}{}`) }
  }
  if (!isNode(json.properties)) throw new TypeError(`${at}: properties are no map`)
  const fields = Object.entries(json.properties).map(([name, field]) => [name, image(field, `${at}.${name}`)])
  // A CRD says nothing of other fields: the API server prunes them, and kubectl refuses them.
  if (json.additionalProperties !== false) throw new TypeError(`${at}: not strict`)
  return { properties: Object.fromEntries(fields), additionalProperties: undefined }
}

/** The API server reads patterns with RE2; `\/` and `\0` are JavaScript's ways of writing. */
function portable(pattern: string): string {
  return pattern.replaceAll('\\/', '/').replaceAll('\\0', '\\x00')
}

function typeOf(type: unknown, at: string): Structural['type'] {
  const known = Object.keys(KEPT).find((one) => one === type)
  if (known === undefined) throw new TypeError(`${at}: ${String(type)} has no structural form`)
  return known as Structural['type']
}

type Node = Readonly<Record<string, unknown>>

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
