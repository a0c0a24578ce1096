import {
  type AnyResource,
  allOf,
  ConfigurationError,
  type FieldPath,
  formatProblem,
  type LoadOptions,
  loadResources,
  type Problem,
  type Resources,
  readSourceFiles,
  type SourceFile,
  validateChange,
} from '@causeway/mesh-api'
import type { CliHost } from '../../host.ts'
import { hintFor } from '../../objects/trouble.ts'
import { type Check, type CheckLine, type Finding, linesOf } from '../line.ts'
import { machineFindings } from './machine.ts'

/** What is known of the files; each part only where those before it are there. */
interface Subject {
  readonly unreadable: readonly Problem[]
  readonly problems?: readonly Problem[]
  readonly resources?: Resources
  readonly before?: Resources
  /** A problem of one of the resources, at the place of a field. */
  readonly problemAt?: ProblemAt
  readonly onThisMachine?: readonly Finding[]
}

export interface FilesToCheck {
  readonly files: readonly string[]
  /** Files of the same resources as they are in force: whether they may become the new ones. */
  readonly against: readonly string[]
  /** For `kubectl apply`, and not for `causeway up`. */
  readonly isForCluster: boolean
}

/** Checks configuration files as they are, without a cluster. */
export async function checkFiles(
  toCheck: FilesToCheck,
  environment: CliHost['environment'],
): Promise<readonly CheckLine[]> {
  return linesOf(CHECKS, await gather(toCheck, environment))
}

const CHECKS: readonly Check<Subject>[] = [
  {
    category: 'files',
    check: 'readable',
    title: 'the files can be read',
    judge: ({ unreadable }) => unreadable.map(failed),
  },
  {
    category: 'resources',
    check: 'valid',
    title: 'every resource is valid, what it names is there, and relays can do all of it',
    judge: ({ problems }) => problems?.map(failed),
  },
  {
    category: 'resources',
    check: 'authenticated',
    title: 'every peer has to prove who it is',
    judge: ({ resources }) => resources?.peers.filter(({ spec }) => spec.identity.acceptAny === true).map(anybody),
  },
  {
    category: 'change',
    check: 'allowed',
    title: 'the resources that are in force may become these',
    judge: ({ resources, before, problemAt }) =>
      resources && before && problemAt && allOf(resources).flatMap((after) => change(after, before, problemAt)),
  },
  {
    category: 'this machine',
    check: 'present',
    title: 'the files and programs that they name are here',
    judge: ({ onThisMachine }) => onThisMachine,
  },
]

async function gather(
  { files, against, isForCluster }: FilesToCheck,
  environment: CliHost['environment'],
): Promise<Subject> {
  const read = await problemsOr(() => readSourceFiles(files))
  const readBefore = await problemsOr(() => readSourceFiles(against))
  const unreadable = [...read.problems, ...readBefore.problems]
  if (read.value === undefined || readBefore.value === undefined) return { unreadable }
  // What the files name may be on the cluster already.
  const options: LoadOptions = isForCluster ? { place: 'cluster', isPart: true } : {}
  const places = new Map<string, (path: FieldPath, message: string) => Problem>()
  const load = (sources: readonly SourceFile[], more: LoadOptions = {}) =>
    problemsOr(() => loadResources(sources, { ...options, ...more }))
  const loaded = await load(read.value, { onObject: (resource, at) => places.set(nameOf(resource), at) })
  // What is stored may be refused for what it is to others; whether it may become something else is another question.
  const before = await load(readBefore.value, { isApart: true })
  const resources = loaded.value
  return {
    unreadable,
    problems: [...loaded.problems, ...before.problems],
    ...(resources === undefined ? {} : { resources }),
    ...(resources === undefined || isForCluster
      ? {}
      : { onThisMachine: await machineFindings(allOf(resources), environment) }),
    problemAt: (name, path, message) => placeOf(places.get(name), path, message),
    ...(against.length === 0 || before.value === undefined ? {} : { before: before.value }),
  }
}

type ProblemAt = (name: string, path: FieldPath, message: string) => Problem

function placeOf(
  problemAt: ((path: FieldPath, message: string) => Problem) | undefined,
  path: FieldPath,
  message: string,
): Problem {
  if (problemAt === undefined) throw new TypeError('a resource of no file')
  return problemAt(path, message)
}

async function problemsOr<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly value?: T; readonly problems: readonly Problem[] }> {
  try {
    return { value: await work(), problems: [] }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return { problems: error.problems }
  }
}

function failed(problem: Problem): Finding {
  const hint = hintOf(problem.message)
  return { level: 'failed', message: formatProblem(problem), ...(hint === undefined ? {} : { hint }) }
}

/** What to do, where the message stands in conditions too and does not say it. */
function hintOf(message: string): string | undefined {
  if (message.startsWith('not found or not permitted: ')) {
    return (
      'a reference without namespace means that of its own object; what is in another namespace has to permit this one ' +
      'by spec.allowedNamespaces'
    )
  }
  return message.endsWith(' is not implemented yet') ? hintFor('NotImplemented') : undefined
}

function anybody(peer: AnyResource): Finding {
  return {
    level: 'warning',
    message: `${nameOf(peer)}: spec.identity.acceptAny lets in whoever connects`,
    hint: 'pin the peer by spec.identity.handles or spec.identityFrom',
  }
}

function change(after: AnyResource, resources: Resources, problemAt: ProblemAt): readonly Finding[] {
  const before = allOf(resources).find((one) => nameOf(one) === nameOf(after))
  if (before === undefined) return []
  return validateChange(before, after).map(({ path, message }) => ({
    level: 'failed',
    message: formatProblem(problemAt(nameOf(after), path, message)),
    hint: 'delete the object and create it again, or keep the field as it is',
  }))
}

function nameOf({ kind, metadata }: AnyResource): string {
  return `${kind}/${metadata.namespace}/${metadata.name}`
}
