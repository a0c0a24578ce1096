import { compareNames, idOf, keyOf, nameOf, type ObjectId } from '../check/object-id.ts'
import type { Place } from '../check/places.ts'
import type { AnyResource, Resources } from '../kinds/all-kinds.ts'
import { checkResources } from '../mesh/check-resources.ts'
import { withAbsoluteFiles } from './absolute-files.ts'
import { decode } from './decode.ts'
import type { FieldPath } from './field-path.ts'
import type { Locator } from './locate.ts'
import { type FoundObject, objectsIn } from './objects-in.ts'
import { parseDocuments } from './parse-documents.ts'
import { ConfigurationError, type Problem } from './problem.ts'
import { ProblemList } from './problem-list.ts'
import type { SourceFile } from './source-file.ts'
import { toPlain } from './to-plain.ts'

export interface LoadOptions {
  /** Where the objects will stand; default: in these files. */
  readonly place?: Place
  /** There are more objects than these: what they name may be among those. */
  readonly isPart?: boolean
  /** Each object is judged by itself; what they are to each other, and to the place, is not looked at. */
  readonly isApart?: boolean
  /** Told of each valid object, with what makes a problem of it at the place of a field. */
  readonly onObject?: (resource: AnyResource, problemAt: (path: FieldPath, message: string) => Problem) => void
}

/**
 * Decodes, defaults and validates files of multi-document YAML as one whole.
 * Throws ConfigurationError with every problem of every file; nothing else, whatever the octets are.
 */
export function loadResources(files: readonly SourceFile[], options: LoadOptions = {}): Resources {
  const { place = 'files', isPart = false, isApart = false } = options
  const problems = new ProblemList()
  const loaded = new Map<string, Loaded>()
  const declared: ObjectId[] = []
  /** Something stands there, and nobody knows what: it may be what others refer to. */
  let hasUnknown = false
  const unreadable = (problem: Problem): void => {
    hasUnknown = true
    problems.add(problem)
  }
  for (const file of files) {
    for (const { document, locator } of parseDocuments(file, unreadable)) {
      const plain = toPlain(document.contents, locator)
      if (plain.problems.length > 0) reject(plain)
      else for (const object of objectsIn(plain.value, locator)) take(object, file)
    }
  }

  function take({ value, locator }: FoundObject, file: SourceFile): void {
    const decoded = decode(value, locator)
    if ('resource' in decoded) keep(decoded.resource, locator, file)
    else reject(decoded)
  }

  function reject(decoded: { problems: readonly Problem[]; declared?: ObjectId }): void {
    decoded.problems.forEach(problems.add)
    if (decoded.declared === undefined) hasUnknown = true
    else declared.push(decoded.declared)
  }

  function keep(decoded: AnyResource, locator: Locator, { folder }: SourceFile): void {
    const resource = folder === undefined || place === 'cluster' ? decoded : withAbsoluteFiles(decoded, folder)
    const first = loaded.get(keyOf(idOf(resource)))
    if (first === undefined) {
      loaded.set(keyOf(idOf(resource)), { resource, locator })
      options.onObject?.(resource, (path, message) => locator.problem(path, message))
    } else problems.add(locator.problem(['metadata', 'name'], `is declared twice; first at ${first.locator.place()}`))
  }

  const resources = toResources([...loaded.values()].map(({ resource }) => resource))
  const findings = isApart ? [] : checkResources(resources, { place, declared })
  for (const { id, object, fieldPath, message } of findings) {
    if ((hasUnknown || isPart) && id === 'NotFound') continue
    const locator = loaded.get(keyOf(idOf(object)))?.locator
    if (locator !== undefined) problems.add(locator.problem(fieldPath, message))
  }
  if (!problems.isEmpty) throw new ConfigurationError(problems.inOrder(files.map(({ name }) => name)))
  return resources
}

interface Loaded {
  readonly resource: AnyResource
  readonly locator: Locator
}

function toResources(all: readonly AnyResource[]): Resources {
  const sorted = [...all].sort((a, b) => compareNames(nameOf(a.metadata), nameOf(b.metadata)))
  return {
    relays: sorted.filter((resource) => resource.kind === 'MeshRelay'),
    peers: sorted.filter((resource) => resource.kind === 'MeshPeer'),
    backends: sorted.filter((resource) => resource.kind === 'MeshBackend'),
    routes: sorted.filter((resource) => resource.kind === 'MeshRoute'),
    policies: sorted.filter((resource) => resource.kind === 'SafetyPolicy'),
    records: sorted.filter((resource) => resource.kind === 'DiscoveryRecord'),
    cards: sorted.filter((resource) => resource.kind === 'AgentCard'),
    anchors: sorted.filter((resource) => resource.kind === 'TrustAnchor'),
    approvals: sorted.filter((resource) => resource.kind === 'ApprovalRequest'),
    accessKeys: sorted.filter((resource) => resource.kind === 'AccessKey'),
  }
}
