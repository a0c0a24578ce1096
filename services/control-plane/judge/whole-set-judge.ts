import { type AnyResource, checkResources, type Finding, formatFieldPath, type KindName } from '@causeway/mesh-api'
import { type ObjectKey, objectIdOf, objectKey } from '../snapshot/object-key.ts'
import type { Judge, JudgedChange } from './judge.ts'

type Place = Parameters<typeof checkResources>[1]['place']

/** Judges everything anew with each change. */
export class WholeSetJudge implements Judge {
  readonly #place: Place
  readonly #resources = new Map<ObjectKey, AnyResource>()
  readonly #declared = new Set<ObjectKey>()
  #findings: ReadonlyMap<ObjectKey, readonly Finding[]> = new Map()

  constructor(place: Place) {
    this.#place = place
  }

  update({ upserts, removals, declared }: JudgedChange): ReadonlySet<ObjectKey> {
    for (const key of removals) {
      this.#resources.delete(key)
      this.#declared.delete(key)
    }
    for (const key of declared) this.#declared.add(key)
    for (const resource of upserts) {
      const key = objectKey(resource.kind, `${resource.metadata.namespace}/${resource.metadata.name}`)
      this.#resources.set(key, resource)
      this.#declared.delete(key)
    }
    const before = this.#findings
    this.#findings = this.#judge()
    return differing(before, this.#findings)
  }

  findings(key: ObjectKey): readonly Finding[] {
    return this.#findings.get(key) ?? []
  }

  #judge(): ReadonlyMap<ObjectKey, readonly Finding[]> {
    const sorted = [...this.#resources.entries()].sort(([a], [b]) => (nameOf(a) < nameOf(b) ? -1 : 1))
    const of = <Kind extends KindName>(kind: Kind) =>
      sorted.map(([, one]) => one).filter((one): one is Extract<AnyResource, { kind: Kind }> => one.kind === kind)
    const resources = {
      relays: of('MeshRelay'),
      peers: of('MeshPeer'),
      backends: of('MeshBackend'),
      routes: of('MeshRoute'),
    }
    const findings = new Map<ObjectKey, Finding[]>()
    for (const finding of checkResources(resources, { place: this.#place, declared: this.#declared })) {
      const { kind, metadata } = finding.object
      const key = objectKey(kind, `${metadata.namespace}/${metadata.name}`)
      const others = findings.get(key)
      if (others === undefined) findings.set(key, [finding])
      else others.push(finding)
    }
    return findings
  }
}

/** Namespace and name apart, so that `a/b` stands before `a-b/a`. */
function nameOf(key: ObjectKey): string {
  return objectIdOf(key).name.replace('/', '\0')
}

type Findings = ReadonlyMap<ObjectKey, readonly Finding[]>

function differing(before: Findings, after: Findings): ReadonlySet<ObjectKey> {
  const keys = new Set([...before.keys(), ...after.keys()])
  return new Set([...keys].filter((key) => printed(before.get(key)) !== printed(after.get(key))))
}

function printed(findings: readonly Finding[] = []): string {
  return findings.map(({ id, fieldPath, message }) => `${id} ${formatFieldPath(fieldPath)} ${message}`).join('\n')
}
