import { resolve } from 'node:path'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { addEntry, type Change, removeEntry, type Subject } from './change.ts'
import { ClientError } from './client-error.ts'
import { type Client, type Entry, fileOf, placesOf, type Scope } from './clients.ts'
import { missingFolders, readText, removeFile, writeText } from './config-file.ts'
import { changedLines } from './lines.ts'
import { isClientName } from './name.ts'
import { type FileReceipt, type Receipts, readReceipts, receiptsFile, writeReceipts } from './receipts.ts'

export interface Target {
  readonly name: string
  readonly client: Client
  readonly scope: Scope
  /** An entry that is not as this program wrote it gives way. */
  readonly force: boolean
  /** Only say what would be done. */
  readonly dryRun: boolean
}

export interface Server {
  readonly url: string
  /** Through `causeway-connect` also where the client could speak HTTP itself. */
  readonly stdio: boolean
  /** `Name: value` each, for `causeway-connect`. */
  readonly headers: readonly string[]
  readonly cacert: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

/** `causeway client add` */
export function addClient(target: Target, server: Server, host: CliHost): Promise<ExitCode> {
  return run(host, async () => {
    requireName(target.name)
    const entry = await entryFor(target.client, server, host)
    const done = await change(target, host, 'is there already', (subject) =>
      addEntry(subject, target.name, entry, target.force),
    )
    if (done && target.client.next !== undefined) host.writeOut(`${target.client.next}\n`)
  })
}

/** `causeway client remove` */
export function removeClient(target: Target, host: CliHost): Promise<ExitCode> {
  return run(host, async () => {
    await change(target, host, 'is not there', (subject) => removeEntry(subject, target.name, target.force))
  })
}

/** Ends with what a ClientError says, and tells it. */
export async function run(host: CliHost, work: () => Promise<void>): Promise<ExitCode> {
  try {
    await work()
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    host.writeError(`causeway: ${error.message}\n`)
    return error.exitCode
  }
}

/** Answers whether a file was changed. */
async function change(
  { name, client, scope, dryRun }: Target,
  host: CliHost,
  unchanged: string,
  decide: (subject: Subject) => Change | undefined,
): Promise<boolean> {
  const { environment, machine } = host
  const path = fileOf(client, scope, placesOf(machine, environment), machine.workingFolder)
  if (path === undefined) throw new ClientError(`${client.title} has no configuration of a project`)
  const receiptsPath = receiptsFile(machine, environment)
  const receipts = await readReceipts(receiptsPath)
  const text = await readText(path)
  const changed = decide({ client, path, text, receipt: receipts.files[path] })
  if (changed === undefined || dryRun) {
    host.writeOut(changed === undefined ? `${name} ${unchanged}: ${path}\n` : changedLines(path, text, changed.text))
    return false
  }

  const folders = text === undefined ? await missingFolders(path) : []
  if ((await readText(path)) !== text) throw new ClientError(`${path} was just changed; try again`, EXIT.failed)
  const kept = withReceipt(receipts, path, changed, folders)
  // First what knows of an entry, last what forgets it: whatever comes between, no entry is left that nobody knows.
  if (changed.receipt !== undefined) await writeReceipts(receiptsPath, kept)
  if (changed.text === undefined) await removeFile(path, receipts.files[path]?.createdFolders ?? [])
  else if (changed.text !== text) await writeText(path, changed.text, { mode: scope === 'user' ? 0o600 : 0o644 })
  if (changed.receipt === undefined) await writeReceipts(receiptsPath, kept)
  host.writeOut(`${path}\n`)
  return true
}

function withReceipt(receipts: Receipts, path: string, { receipt }: Change, folders: string[]): Receipts {
  const { [path]: before, ...others } = receipts.files
  if (receipt === undefined) {
    const files = Object.entries(others).map(([file, other]) => [file, heir(file, other, before?.createdFolders ?? [])])
    return { ...receipts, files: Object.fromEntries(files) }
  }
  const createdFolders = before === undefined ? folders : receipt.createdFolders
  return { ...receipts, files: { ...others, [path]: { ...receipt, createdFolders } } }
}

/** What was made for one file goes with the last of those that lie in it. */
function heir(file: string, receipt: FileReceipt, folders: readonly string[]): FileReceipt {
  const around = folders.filter((folder) => /^[\\/]/.test(file.slice(folder.length)) && file.startsWith(folder))
  const createdFolders = [...new Set([...around, ...receipt.createdFolders])].toSorted((a, b) => a.length - b.length)
  return { ...receipt, createdFolders }
}

async function entryFor(client: Client, server: Server, { machine }: CliHost): Promise<Entry> {
  const { url, stdio, headers, cacert, cert, key } = server
  requireUrl(url)
  if (client.http !== undefined && !stdio) {
    if (headers.length > 0 || [cacert, cert, key].some((file) => file !== undefined))
      throw new ClientError(
        '--header, --cacert, --cert and --key are options of causeway-connect; use them with --stdio',
      )
    return client.http(url)
  }
  // The client starts it in a folder of its own choice.
  const absolute = (file: string | undefined) => (file === undefined ? undefined : resolve(machine.workingFolder, file))
  const files = { cacertFile: absolute(cacert), certFile: absolute(cert), keyFile: absolute(key) }
  const { problemOf } = await import('@causeway/connect')
  const problem = problemOf({ headers, ...files })
  if (problem !== undefined) throw new ClientError(problem)
  const option = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value])
  const options = [
    ...headers.flatMap((header) => option('--header', header)),
    ...option('--cacert', files.cacertFile),
    ...option('--cert', files.certFile),
    ...option('--key', files.keyFile),
  ]
  return client.stdio(machine.node, [machine.connectLauncher, ...options, url])
}

function requireName(name: string): void {
  if (!isClientName(name)) throw new ClientError('the name may have letters, digits, - and _, 64 at most')
}

function requireUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new ClientError(`${text} is not an http or https URL`)
  if (url.username !== '' || url.password !== '')
    throw new ClientError('the URL holds credentials, which would stand in the file for everybody to read')
}
