import { KIND_NAMES, type KindName } from '@causeway/mesh-api'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { ageOf } from '../objects/age.ts'
import { type MeshObject, titleOf } from '../objects/mesh-object.ts'
import { type ObjectsSource, readObjects } from '../objects/read-objects.ts'
import { tableOf } from '../objects/table.ts'
import { troubleOf } from '../objects/trouble.ts'

export interface GetOptions extends ObjectsSource {
  /** Undefined: all. */
  readonly kind?: KindName
  readonly name?: string
  readonly json: boolean
}

/** `causeway get`: one line for each resource: is it well, since when, why not. */
export async function get(options: GetOptions, host: CliHost, nowMs: number): Promise<ExitCode> {
  const { kind, name, json } = options
  const all = await readObjects(kind === undefined ? KIND_NAMES : [kind], options, host)
  const objects = all.filter((object) => name === undefined || object.name === name)
  if (name !== undefined && objects.length === 0) {
    host.writeError(
      `causeway: there is no ${kind} ${name}${options.namespace === undefined ? '' : ` in ${options.namespace}`}\n`,
    )
    return EXIT.failed
  }
  host.writeOut(json ? `${JSON.stringify({ resources: objects.map(summaryOf) })}\n` : textOf(objects, nowMs))
  return EXIT.ok
}

function textOf(objects: readonly MeshObject[], nowMs: number): string {
  if (objects.length === 0) return 'no resources\n'
  const rows = objects.map((object) => {
    const { state, since, why } = summaryOf(object)
    return [titleOf(object), state, ageOf(since, nowMs), why]
  })
  return tableOf([['RESOURCE', 'STATE', 'SINCE', 'WHY'], ...rows])
}

interface Summary {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly state: 'ok' | 'warning' | 'failed'
  readonly since: string | undefined
  /** Empty where all is well. */
  readonly why: string
}

function summaryOf(object: MeshObject): Summary {
  const { kind, namespace, name } = object
  const trouble = troubleOf(object)
  if (trouble === undefined) return { kind, namespace, name, state: 'ok', since: wellSince(object), why: going(object) }
  const { level, type, reason, message, since } = trouble
  return { kind, namespace, name, state: level, since, why: `${type} ${reason}${message === '' ? '' : `: ${message}`}` }
}

/** Since the last of its conditions became as it is. */
function wellSince({ status }: MeshObject): string | undefined {
  return status.conditions
    .flatMap(({ lastTransitionTime }) => lastTransitionTime ?? [])
    .sort()
    .at(-1)
}

function going({ isDeleting, isHeld }: MeshObject): string {
  if (!isDeleting) return ''
  return isHeld ? 'was deleted and is held by its users' : 'is being deleted'
}
