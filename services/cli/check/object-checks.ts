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

/** Undefined where nothing can be said of the kind, because all that is wrong with it is a consequence. */
function kindFindings(
  kind: KindName,
  objects: readonly MeshObject[],
  isUnattended: boolean,
): readonly Finding[] | undefined {
  const troubledRelays = new Set(
    objects.filter((object) => object.kind === 'MeshRelay' && troubleOf(object) !== undefined).flatMap(relaysOf),
  )
  const isConsequence = (object: MeshObject, { reason }: Trouble) =>
    (isUnattended && (reason === 'NotJudged' || reason === 'Outdated')) ||
    (kind !== 'MeshRelay' && reason === 'NoRelay' && relaysOf(object).every((relay) => troubledRelays.has(relay)))
  const troubled = objects
    .filter((object) => object.kind === kind)
    .flatMap((object) => {
      const trouble = troubleOf(object)
      return trouble === undefined ? [] : [{ object, trouble }]
    })
  const told = troubled.filter(({ object, trouble }) => !isConsequence(object, trouble))
  if (told.length === 0 && troubled.length > 0) return undefined
  return told.map(({ object, trouble }) => finding(object, trouble))
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
