import { readBackend } from '../config/backend.ts'
import { FileReader } from '../config/file-reader.ts'
import { readPeer } from '../config/peer.ts'
import { ConfigProblem, invalid } from '../config/problem.ts'
import { readRoute } from '../config/route.ts'
import type { Environment } from '../config/secret.ts'
import { readSettings } from '../config/settings.ts'
import type { HeldResource } from '../config-store/contract.ts'
import { checkRoute, RouteError } from '../router/route-table.ts'
import type { Table } from './table.ts'

export interface PrepareOptions {
  /** `namespace/name`: whose settings these are. */
  readonly relayName: string
  readonly mounts: string | undefined
  readonly environment: Environment
}

/** Whether a resource is good by itself, and the files that decided it. */
export interface Prepared {
  readonly outcome: Table | ConfigProblem
  /** Absolute paths. */
  readonly files: ReadonlySet<string>
  /** Equal where the files had the same content. */
  readonly contents: string
}

/** Decodes a resource and reads its files. Never rejects for what a resource or a file can be. */
export async function prepare(resource: HeldResource, options: PrepareOptions): Promise<Prepared> {
  const { relayName, mounts, environment } = options
  const reader = new FileReader({ mounts })
  try {
    if (resource.kind === 'relay' && resource.name !== relayName)
      throw invalid('metadata.name', 'this is another relay')
    const outcome = await read(resource, reader, environment)
    return { outcome, files: reader.paths, contents: reader.contents }
  } catch (error) {
    if (error instanceof ConfigProblem) return { outcome: error, files: reader.paths, contents: reader.contents }
    throw error
  }
}

async function read(resource: HeldResource, reader: FileReader, environment: Environment): Promise<Table> {
  const { name } = resource
  switch (resource.kind) {
    case 'relay':
      return { kind: 'relay', config: await readSettings(resource.message, reader) }
    case 'peer':
      return { kind: 'peer', config: await readPeer(name, resource.message, reader) }
    case 'backend':
      return { kind: 'backend', config: await readBackend(name, resource.message, reader, environment) }
    case 'route':
      return { kind: 'route', config: checked(readRoute(name, resource.message)) }
  }
}

function checked(route: Extract<Table, { kind: 'route' }>['config']): typeof route {
  try {
    checkRoute(route)
    return route
  } catch (error) {
    if (!(error instanceof RouteError)) throw error
    throw new ConfigProblem('Invalid', error.code === 'BAD_HEADER' ? 'spec.forwardHeaders' : 'spec.path', error.message)
  }
}
