import { z } from 'zod'
import { declaredKey } from '../check/index-of.ts'
import { unwrap } from '../fields/walk.ts'
import { type AnyResource, KIND_NAMES, KINDS } from '../kinds/all-kinds.ts'
import { API_VERSION, type KindName, type LocalRule } from '../kinds/kind.ts'
import { metadataSchema } from '../kinds/metadata.ts'
import { METADATA_RULES } from '../kinds/metadata-rules.ts'
import { nearest } from './did-you-mean.ts'
import { parseFieldPath, printable } from './field-path.ts'
import { issueMessage, unknownField } from './issue-message.ts'
import type { Locator } from './locate.ts'
import type { Problem } from './problem.ts'

/**
 * What one document is: a resource, or what is wrong with it and, as far as that is known, which object it is about, as
 * `kind namespace/name`.
 */
export type Decoded =
  | { readonly resource: AnyResource }
  | { readonly problems: readonly Problem[]; readonly declared?: string }

/** Applies schema, defaults and rules of the document's kind. */
export function decode(value: unknown, locator: Locator): Decoded {
  const kind = readKind(value, locator)
  if (typeof kind !== 'string') return { problems: kind }
  locator.kind = kind
  locator.name = identify(value)
  const declared = locator.name === undefined ? {} : { declared: declaredKey(kind, locator.name) }

  const result = OBJECT_SCHEMAS[kind].safeParse(value, { error: issueMessage })
  if (!result.success)
    return { problems: result.error.issues.flatMap((issue) => toProblems(issue, kind, locator)), ...declared }

  const resource = withoutUndefined(result.data) as AnyResource
  const rules = [...METADATA_RULES, ...(KINDS[kind].rules as readonly LocalRule<AnyResource>[])]
  const broken = rules.filter((rule) => !rule.holds(resource))
  if (broken.length > 0) {
    return {
      problems: broken.map((rule) => locator.problem(parseFieldPath(rule.fieldPath), rule.message)),
      ...declared,
    }
  }
  return { resource }
}

const OBJECT_SCHEMAS: Readonly<Record<KindName, z.ZodObject>> = {
  MeshRelay: objectSchema('MeshRelay'),
  MeshPeer: objectSchema('MeshPeer'),
  MeshBackend: objectSchema('MeshBackend'),
  MeshRoute: objectSchema('MeshRoute'),
}

function objectSchema(kind: KindName): z.ZodObject {
  return z.strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal(kind),
    metadata: metadataSchema,
    spec: KINDS[kind].spec,
  })
}

/** Without a known version and kind no field has a meaning. */
function readKind(value: unknown, locator: Locator): KindName | Problem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [locator.problem([], 'must be a map with apiVersion, kind, metadata and spec')]
  }
  const { apiVersion, kind } = value as { apiVersion?: unknown; kind?: unknown }
  const problems: Problem[] = []
  if (apiVersion !== API_VERSION) {
    const message = apiVersion === undefined ? 'is required' : 'is not known'
    problems.push(locator.problem(['apiVersion'], `${message}; this version reads ${API_VERSION}`))
  }
  const known = KIND_NAMES.find((name) => name === kind)
  if (known === undefined) problems.push(locator.problem(['kind'], unknownKind(kind)))
  return known === undefined || problems.length > 0 ? problems : known
}

function unknownKind(kind: unknown): string {
  if (kind === undefined) return `is required; one of ${KIND_NAMES.join(', ')}`
  if (typeof kind !== 'string') return `must be one of ${KIND_NAMES.join(', ')}`
  const hint = nearest(kind, KIND_NAMES)
  return `unknown kind ${printable(kind)}; ${hint === undefined ? `known are ${KIND_NAMES.join(', ')}` : `did you mean ${hint}?`}`
}

/** Fields that were null are there without a value; from here on they are not there. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutUndefined(field)]))
}

/** `namespace/name` of the object that a document is about, known even where the rest of it is wrong. */
function identify(value: unknown): string | undefined {
  const metadata = (value as { metadata?: unknown }).metadata
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const name = metadataSchema.shape.name.safeParse((metadata as { name?: unknown }).name)
  const namespace = metadataSchema.shape.namespace.safeParse((metadata as { namespace?: unknown }).namespace)
  return name.success && namespace.success ? `${namespace.data}/${name.data}` : undefined
}

function toProblems(issue: z.core.$ZodIssue, kind: KindName, locator: Locator): Problem[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code !== 'unrecognized_keys') return [locator.problem(path, issue.message)]
  const known = fieldsAt(OBJECT_SCHEMAS[kind], path)
  return issue.keys.map((key) => locator.problem([...path, key], unknownField(key, known)))
}

/** The names of the fields that a schema has at a path. */
function fieldsAt(schema: z.core.$ZodType, path: readonly (string | number)[]): readonly string[] {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodObject) {
    const [step, ...rest] = path
    if (step === undefined) return Object.keys(inner.shape)
    const field: z.core.$ZodType | undefined = inner.shape[step]
    return field === undefined ? [] : fieldsAt(field, rest)
  }
  if (inner instanceof z.ZodArray) return fieldsAt(inner.element, path.slice(1))
  return []
}
