import { loadResources, type Resources, readSourceFiles, type SourceFile } from '@causeway/mesh-api'
import type { CliHost } from '../host.ts'
import { readServers } from './mcp-json/read-servers.ts'
import { RELAY_NAME, toResources } from './mcp-json/resources.ts'
import type { McpServers } from './mcp-json/servers.ts'
import type { UpSource } from './plan.ts'
import { RememberedStreams } from './remembered-streams.ts'
import type { Report } from './report.ts'

/** What is read, now and whenever it changes. */
export interface Input {
  /** Files and folders. */
  readonly paths: readonly string[]
  /** Reads and validates the files as one whole. Rejects with ConfigurationError. */
  load(files: readonly string[]): Promise<Resources>
  /** Only this relay; undefined: all of them. */
  readonly relay: string | undefined
  /** Of an `mcpServers` file, as it was read last. */
  readonly servers: McpServers | undefined
}

export function inputOf(source: UpSource, host: CliHost, report: Report): Input {
  return 'mcpJson' in source ? new McpJsonInput(source, host, report) : new FilesInput(source)
}

class FilesInput implements Input {
  readonly paths: readonly string[]
  readonly relay: string | undefined
  readonly servers = undefined
  readonly #streams = new RememberedStreams()

  constructor({ files, relay }: Extract<UpSource, { files: unknown }>) {
    this.paths = files
    this.relay = relay
  }

  async load(files: readonly string[]): Promise<Resources> {
    return loadResources(await this.#streams.read(files))
  }
}

class McpJsonInput implements Input {
  readonly paths: readonly string[]
  readonly relay = `default/${RELAY_NAME}`
  readonly #port: number
  readonly #host: CliHost
  readonly #report: Report
  #servers: McpServers | undefined

  constructor({ mcpJson, port }: Extract<UpSource, { mcpJson: string }>, host: CliHost, report: Report) {
    this.paths = [mcpJson]
    this.#port = port
    this.#host = host
    this.#report = report
  }

  get servers(): McpServers | undefined {
    return this.#servers
  }

  async load(): Promise<Resources> {
    const [file] = await readSourceFiles(this.paths)
    if (file === undefined) throw new TypeError('one file was asked for')
    const { findings, ...servers } = await readServers(file, this.#host.environment, this.#report.warning)
    const resources = toResources(servers.servers, this.#port, folderOf(file), findings)
    this.#servers = servers
    return resources
  }
}

function folderOf({ folder = '.' }: SourceFile): string {
  return folder
}
