import { KIND_NAMES, type KindName } from '@causeway/mesh-api'
import { stringify } from 'yaml'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { ageOf } from '../objects/age.ts'
import { type MeshObject, titleOf } from '../objects/mesh-object.ts'
import { type ObjectsSource, readObjects } from '../objects/read-objects.ts'
import { namedBy, printableSpec } from '../objects/references.ts'
import { tableOf } from '../objects/table.ts'
import { hintFor, troubleOf } from '../objects/trouble.ts'
import { type EventLine, readEvents } from './events.ts'

export interface DescribeOptions extends ObjectsSource {
  readonly kind: KindName
  readonly name: string
}

/** `causeway describe`: all that is known of one resource, with what it uses and who uses it. */
export async function describe(options: DescribeOptions, host: CliHost, nowMs: number): Promise<ExitCode> {
  const { namespace, ...everywhere } = options
  const objects = await readObjects(KIND_NAMES, everywhere, host)
  const found = objects.filter(
    (one) => one.kind === options.kind && one.name === options.name && (namespace ?? one.namespace) === one.namespace,
  )
  const [object] = found
  if (object === undefined || found.length > 1) {
    const where = found.map(({ namespace }) => namespace).join(', ')
    const message =
      object === undefined
        ? `there is no ${options.kind} ${options.name}`
        : `${options.kind} ${options.name} is in ${where}: --namespace says which`
    host.writeError(`causeway: ${message}\n`)
    return EXIT.failed
  }
  const events = options.standalone === undefined ? await readEvents(object, options, host) : []
  host.writeOut(textOf(object, objects, events, nowMs))
  return EXIT.ok
}

function textOf(
  object: MeshObject,
  objects: readonly MeshObject[],
  events: readonly EventLine[],
  nowMs: number,
): string {
  const stateOf = (title: string): string => {
    const one = objects.find((other) => titleOf(other) === title)
    return one === undefined ? 'not there' : (troubleOf(one)?.level ?? 'ok')
  }
  const users = objects.filter((one) => namedBy(one).includes(titleOf(object))).map(titleOf)
  return [
    `${titleOf(object)}\n`,
    tableOf(headOf(object), '  '),
    section('Conditions', conditionRows(object, nowMs)),
    section('Instances', instanceRows(object)),
    section(
      'Uses',
      namedBy(object).map((title) => [title, stateOf(title)]),
    ),
    section(
      'Used by',
      users.map((title) => [title, stateOf(title)]),
    ),
    section(
      'Events',
      events.map(({ time, type, reason, note }) => [ageOf(time, nowMs), type, reason, note]),
    ),
    specOf(object),
  ].join('')
}

function headOf(object: MeshObject): readonly (readonly string[])[] {
  const trouble = troubleOf(object)
  const { controller, identity } = object.status
  const hint = trouble && hintFor(trouble.reason)
  return [
    ['state', trouble === undefined ? 'ok' : `${trouble.level}: ${trouble.type} ${trouble.reason}`],
    ...(hint === undefined ? [] : [['hint', hint]]),
    ...(object.isDeleting ? [['deleted', object.isHeld ? 'held by its users' : 'going']] : []),
    ...(controller === undefined ? [] : [['installation', controller]]),
    ...(identity?.peerHandle === undefined ? [] : [['identity', `${identity.peerHandle} (${identity.state})`]]),
    ...(identity?.next === undefined ? [] : [['next', identity.next]]),
  ]
}

function conditionRows({ status, generation }: MeshObject, nowMs: number): readonly (readonly string[])[] {
  return status.conditions.map(({ type, status: truth, reason, message, lastTransitionTime, observedGeneration }) => {
    const isOld = observedGeneration !== undefined && observedGeneration < generation
    return [
      type,
      truth,
      ageOf(lastTransitionTime, nowMs),
      `${reason}${isOld ? ' (before the latest change)' : ''}`,
      message,
    ]
  })
}

function instanceRows({ status }: MeshObject): readonly (readonly string[])[] {
  const rows = status.relays.map(({ namespace, relay, instance, programmed, reason, message }) => [
    namespace === undefined ? relay : `${namespace}/${relay}`,
    instance,
    `programmed ${programmed}`,
    [reason, message].filter((one) => one !== undefined).join(': '),
  ])
  const more = (status.relayCount ?? rows.length) - rows.length
  return more > 0 ? [...rows, [`and ${more} more`]] : rows
}

function specOf(object: MeshObject): string {
  const spec = printableSpec(object)
  if (spec === undefined) return '\nSpec\n  not valid by this version: kubectl get -o yaml shows it\n'
  return `\nSpec, with defaults\n${stringify(spec).replace(/^(?=.)/gm, '  ')}`
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `\n${title}\n${tableOf(rows, '  ')}`
}
