import { KIND_NAMES, type KindName } from '@causeway/mesh-api'
import { type MeshObject, relaysOf, titleOf } from '../objects/mesh-object.ts'
import { namedBy } from '../objects/references.ts'
import { hintFor, type Trouble, troubleOf } from '../objects/trouble.ts'
import type { Check, Finding } from './line.ts'

export interface ObjectsSubject {
  readonly objects?: readonly MeshObject[]
  /** Nobody judges resources now, and another check has told of that. */
  readonly isUnattended?: boolean
}

/** What the conditions of resources say, one line for each that is not well: of the first condition that is not. */
export const OBJECT_CHECKS: readonly Check<ObjectsSubject>[] = [
  ...KIND_NAMES.map(
    (kind): Check<ObjectsSubject> => ({
      category: 'resources',
      check: kind,
      title: `every ${kind} is well`,
      judge: (subject) => subject.objects && kindFindings(kind, subject.objects, subject.isUnattended === true),
    }),
  ),
  {
    category: 'resources',
    check: 'deletion',
    title: 'nothing that was deleted is held',
    judge: ({ objects }) =>
      objects?.filter(({ isDeleting, isHeld }) => isDeleting && isHeld).map((one) => held(one, objects)),
  },
]

function kindFindings(kind: KindName, objects: readonly MeshObject[], isUnattended: boolean): readonly Finding[] {
  const troubled = new Set(
    objects.filter((object) => object.kind === 'MeshRelay' && troubleOf(object) !== undefined).flatMap(relaysOf),
  )
  return objects
    .filter((object) => object.kind === kind)
    .flatMap((object) => {
      const trouble = troubleOf(object)
      if (trouble === undefined) return []
      if (isUnattended && (trouble.reason === 'NotJudged' || trouble.reason === 'Outdated')) return []
      const isConsequence =
        kind !== 'MeshRelay' && trouble.reason === 'NoRelay' && relaysOf(object).every((relay) => troubled.has(relay))
      return isConsequence ? [] : [finding(object, trouble)]
    })
}

function finding(object: MeshObject, { level, type, reason, message }: Trouble): Finding {
  const hint = hintFor(reason)
  const told = message === '' ? reason : `${reason}: ${message}`
  return { level, message: `${titleOf(object)}: ${type} ${told}`, ...(hint === undefined ? {} : { hint }) }
}

function held(object: MeshObject, objects: readonly MeshObject[]): Finding {
  const users = objects
    .filter((one) => one !== object && !one.isDeleting && namedBy(one).includes(titleOf(object)))
    .map(titleOf)
  const by =
    users.length === 0
      ? ''
      : ` by ${users.slice(0, 3).join(', ')}${users.length > 3 ? ` and ${users.length - 3} more` : ''}`
  return {
    level: 'warning',
    message: `${titleOf(object)}: was deleted and is held${by}`,
    hint: 'delete its users, wait for the end of deletionHold, or annotate it with mesh.causeway.dev/release=now',
  }
}
