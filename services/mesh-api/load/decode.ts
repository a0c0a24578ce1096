import type { ObjectId } from '../check/object-id.ts'
import { type AnyResource, KIND_NAMES } from '../kinds/all-kinds.ts'
import { API_VERSION, type KindName } from '../kinds/kind.ts'
import { metadataSchema } from '../kinds/metadata.ts'
import { validateObject } from '../validate/validate.ts'
import { described } from './described.ts'
import { nearest } from './did-you-mean.ts'
import { printable } from './field-path.ts'
import type { Locator } from './locate.ts'
import type { Problem } from './problem.ts'

/**
 * What one document is: a resource, or what is wrong with it and, as far as that is known, which object it is about.
 */
export type Decoded =
  | { readonly resource: AnyResource }
  | { readonly problems: readonly Problem[]; readonly declared?: ObjectId }

/** Applies schema, defaults and rules of the document's kind. */
export function decode(value: unknown, locator: Locator): Decoded {
  const kind = readKind(value, locator)
  if (typeof kind !== 'string') return { problems: kind }
  locator.kind = kind
  locator.name = identify(value)
  const declared = locator.name === undefined ? {} : { declared: { kind, name: locator.name } }

  const validated = validateObject(kind, described(value))
  if ('resource' in validated) return validated
  return { problems: validated.faults.map(({ path, message }) => locator.problem(path, message)), ...declared }
}

/** Without a known version and kind no field has a meaning. */
function readKind(value: unknown, locator: Locator): KindName | Problem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [locator.problem([], 'must be a map with apiVersion, kind, metadata and spec')]
  }
  if ('mcpServers' in value) return [locator.problem([], MCP_SERVERS)]
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

const MCP_SERVERS = 'is the mcpServers file of an MCP client: `causeway up --mcp-json FILE` serves it'

function unknownKind(kind: unknown): string {
  if (kind === undefined) return `is required; one of ${KIND_NAMES.join(', ')}`
  if (typeof kind !== 'string') return `must be one of ${KIND_NAMES.join(', ')}`
  const hint = nearest(kind, KIND_NAMES)
  return `unknown kind ${printable(kind)}; ${hint === undefined ? `known are ${KIND_NAMES.join(', ')}` : `did you mean ${hint}?`}`
}

/** `namespace/name` of the object that a document is about, known even where the rest of it is wrong. */
function identify(value: unknown): string | undefined {
  const metadata = (value as { metadata?: unknown }).metadata
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const name = metadataSchema.shape.name.safeParse((metadata as { name?: unknown }).name)
  const namespace = metadataSchema.shape.namespace.safeParse((metadata as { namespace?: unknown }).namespace)
  return name.success && namespace.success ? `${namespace.data}/${name.data}` : undefined
}
