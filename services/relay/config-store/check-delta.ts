import {
  type Delta,
  DeltaErrorCode,
  MAX_BODY_OCTETS,
  MAX_RESOURCES,
  type Resource,
  ResourceKind,
  type ResourceName,
  versionOf,
} from '@causeway/rpc'
import { type CheckedDelta, type HeldSet, keyOf, type SourcePosition, type StoredResource } from './held-set.ts'
import { MAX_TOTAL_OCTETS } from './limits.ts'

/** Why nothing of a Delta is taken. */
export interface DeltaProblem {
  readonly code: DeltaErrorCode
  readonly message: string
  /** With STALE_SOURCE. */
  readonly kinds: readonly string[]
}

/** A Delta against what is held, before anything of it is in force: its form, its source, whether both sides agree. */
export function checkDelta(delta: Delta, held: HeldSet): CheckedDelta | DeltaProblem {
  try {
    const positions = readPositions(delta)
    const upserts = delta.upserts.map(readResource)
    const removals = delta.removals.map(readName)
    checkUnique([...upserts.map(keyOf), ...removals])
    if (!delta.rewound) checkNotStale(positions, held)
    checkHeld(removals, held)
    checkBounds(upserts, removals, held)
    return { upserts, removals, positions }
  } catch (error) {
    if (error instanceof Refused) return error.problem
    throw error
  }
}

export function isProblem(checked: CheckedDelta | DeltaProblem): checked is DeltaProblem {
  return 'code' in checked
}

class Refused extends Error {
  readonly problem: DeltaProblem

  constructor(code: DeltaErrorCode, message: string, kinds: readonly string[] = []) {
    super(message)
    this.problem = { code, message, kinds }
  }
}

const malformed = (message: string): Refused => new Refused(DeltaErrorCode.MALFORMED, message)

const SOURCE_OCTETS = 16
const VERSION_OCTETS = 32
/** `namespace/name` of an object. */
const NAME = /^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/
/** As in `MeshRoute`. */
const OBJECT_KIND = /^[A-Z][A-Za-z]{0,62}$/

function readPositions({ positions }: Delta): ReadonlyMap<string, SourcePosition> {
  const read = new Map<string, SourcePosition>()
  for (const { kind, position } of positions) {
    if (!OBJECT_KIND.test(kind)) throw malformed('a position is not of a kind of object')
    if (read.has(kind)) throw malformed(`there are two positions of ${kind}`)
    if (position?.source.length !== SOURCE_OCTETS)
      throw malformed(`the source of ${kind} has not ${SOURCE_OCTETS} octets`)
    read.set(kind, { source: hex(position.source), value: position.value })
  }
  return read
}

function readResource({ kind, name, version, body }: Resource): StoredResource {
  checkName({ kind, name })
  if (body.length > MAX_BODY_OCTETS) {
    throw malformed(`${name} has ${body.length} octets; at most ${MAX_BODY_OCTETS} are taken`)
  }
  if (version.length !== VERSION_OCTETS || Buffer.compare(version, versionOf(body)) !== 0) {
    throw malformed(`the version of ${name} is not the SHA-256 of its body`)
  }
  // A copy: otherwise the smallest one keeps the whole Delta in memory.
  return { kind, name, version: hex(version), body: body.slice() }
}

function readName(resource: Pick<ResourceName, 'kind' | 'name'>): string {
  checkName(resource)
  return keyOf(resource)
}

function checkName({ kind, name }: Pick<ResourceName, 'kind' | 'name'>): void {
  if (kind === ResourceKind.UNSPECIFIED) throw malformed('a resource has no kind')
  if (!NAME.test(name)) throw malformed('the name of a resource is not namespace/name')
}

function checkUnique(keys: readonly string[]): void {
  const seen = new Set<string>()
  for (const key of keys) {
    if (seen.has(key)) throw malformed(`resource ${key} stands in it twice`)
    seen.add(key)
  }
}

/** CONTROL section 3: a replica whose watch lags can never roll a relay back. Another source is accepted. */
function checkNotStale(positions: ReadonlyMap<string, SourcePosition>, held: HeldSet): void {
  const kinds: string[] = []
  for (const [kind, { source, value }] of positions) {
    const seen = held.positions.get(kind)
    if (seen !== undefined && seen.source === source && value < seen.value) kinds.push(kind)
  }
  if (kinds.length === 0) return
  throw new Refused(DeltaErrorCode.STALE_SOURCE, `older than what is held of ${kinds.join(', ')}`, kinds)
}

function checkHeld(removals: readonly string[], held: HeldSet): void {
  const absent = removals.find((key) => !held.resources.has(key))
  if (absent === undefined) return
  throw new Refused(DeltaErrorCode.INCONSISTENT, `it removes resource ${absent}, which is not held`)
}

function checkBounds(upserts: readonly StoredResource[], removals: readonly string[], held: HeldSet): void {
  const added = upserts.filter((resource) => !held.resources.has(keyOf(resource))).length
  if (held.size + added - removals.length > MAX_RESOURCES) {
    throw malformed(`more than ${MAX_RESOURCES} resources are not taken`)
  }
  const octets = upserts.reduce((sum, { body }) => sum + body.length, held.octets)
  if (octets > MAX_TOTAL_OCTETS) throw malformed(`more than ${MAX_TOTAL_OCTETS} octets are not taken`)
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex')
}
