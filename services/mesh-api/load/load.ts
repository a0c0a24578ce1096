import { checkResources } from '../check/check-resources.ts'
import { declaredKey, keyOf } from '../check/index-of.ts'
import type { AnyResource, Resources } from '../kinds/all-kinds.ts'
import { withAbsoluteFiles } from './absolute-files.ts'
import { decode } from './decode.ts'
import { FILE_LIMITS } from './limits.ts'
import type { Locator } from './locate.ts'
import { parseDocuments } from './parse-documents.ts'
import { ConfigurationError, type Problem } from './problem.ts'
import type { SourceFile } from './source-file.ts'
import { toPlain } from './to-plain.ts'

/**
 * Decodes, defaults and validates files of multi-document YAML as one whole.
 * Throws ConfigurationError with every problem of every file; nothing else, whatever the octets are.
 */
export function loadResources(files: readonly SourceFile[]): Resources {
  const problems: Problem[] = []
  const loaded = new Map<string, { resource: AnyResource; locator: Locator }>()
  const declared = new Set<string>()

  for (const file of files) {
    const parsed = parseDocuments(file)
    problems.push(...parsed.problems)
    for (const { document, locator } of parsed.documents) {
      const plain = toPlain(document.contents, locator)
      if (plain.problems.length > 0) {
        problems.push(...plain.problems)
        continue
      }
      const decoded = decode(plain.value, locator)
      if ('problems' in decoded) {
        problems.push(...decoded.problems)
        const { declared: key } = decoded
        if (key !== undefined) declared.add(declaredKey(key.kind, `${key.namespace}/${key.name}`))
        continue
      }
      const resource = file.folder === undefined ? decoded.resource : withAbsoluteFiles(decoded.resource, file.folder)
      const key = declaredKey(decoded.resource.kind, keyOf(decoded.resource.metadata))
      const first = loaded.get(key)
      if (first === undefined) loaded.set(key, { resource, locator })
      else problems.push(locator.problem(['metadata', 'name'], `is declared twice; first at ${first.locator.place()}`))
    }
  }

  const resources = toResources([...loaded.values()].map(({ resource }) => resource))
  for (const { object, fieldPath, message } of checkResources(resources, declared)) {
    const locator = loaded.get(declaredKey(object.kind, keyOf(object.metadata)))?.locator
    if (locator !== undefined) problems.push(locator.problem(fieldPath, message))
  }
  if (problems.length > 0) throw new ConfigurationError(inOrder(problems, files))
  return resources
}

function toResources(all: readonly AnyResource[]): Resources {
  const sorted = [...all].sort(
    (a, b) => compare(a.metadata.namespace, b.metadata.namespace) || compare(a.metadata.name, b.metadata.name),
  )
  return {
    relays: sorted.filter((resource) => resource.kind === 'MeshRelay'),
    peers: sorted.filter((resource) => resource.kind === 'MeshPeer'),
    backends: sorted.filter((resource) => resource.kind === 'MeshBackend'),
    routes: sorted.filter((resource) => resource.kind === 'MeshRoute'),
  }
}

/** By place, at most as many as a person would read. */
function inOrder(problems: readonly Problem[], files: readonly SourceFile[]): Problem[] {
  const rank = new Map(files.map(({ name }, index) => [name, index]))
  const sorted = [...problems].sort(
    (a, b) => (rank.get(a.file) ?? 0) - (rank.get(b.file) ?? 0) || a.line - b.line || a.column - b.column,
  )
  if (sorted.length <= FILE_LIMITS.problems) return sorted
  const more = sorted.length - FILE_LIMITS.problems
  const last = { file: files[0]?.name ?? '', line: 0, column: 0, fieldPath: '', message: `and ${more} more problems` }
  return [...sorted.slice(0, FILE_LIMITS.problems), last]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
