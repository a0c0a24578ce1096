import { isDeepStrictEqual } from 'node:util'
import type { ExitCode } from '../exit-codes.ts'
import { EXIT } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { readDocument } from './change.ts'
import { CLIENTS, type Client, fileOf, placesOf, type Scope } from './clients.ts'
import { run } from './command.ts'
import { readText } from './config-file.ts'
import { type Receipts, readReceipts, receiptsFile } from './receipts.ts'

interface Listed {
  readonly client: string
  readonly scope: Scope
  readonly file: string
  readonly name: string
  /** Where it is or what it starts; nothing that may be a secret. */
  readonly server: string
  /** Whether it is as this program wrote it. */
  readonly ours: boolean
}

/** `causeway client list`: what every client, or one, has configured, for the person and in the working folder. */
export async function listClients(only: Client | undefined, json: boolean, host: CliHost): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok
  const listed: Listed[] = []
  const started = await run(host, async () => {
    const receipts = await readReceipts(receiptsFile(host.machine, host.environment))
    for (const client of only === undefined ? CLIENTS : [only]) {
      for (const scope of ['user', 'project'] as const) {
        // One unreadable file does not hide the others.
        const read = await run(host, async () => void listed.push(...(await entriesOf(client, scope, receipts, host))))
        if (read !== EXIT.ok) code = read
      }
    }
  })
  if (started !== EXIT.ok) return started
  host.writeOut(json ? `${JSON.stringify(listed)}\n` : table(listed))
  return code
}

async function entriesOf(client: Client, scope: Scope, receipts: Receipts, host: CliHost): Promise<Listed[]> {
  const path = fileOf(client, scope, placesOf(host.machine, host.environment), host.machine.workingFolder)
  const text = path === undefined ? undefined : await readText(path)
  if (path === undefined || text === undefined) return []
  const own = receipts.files[path]?.entries ?? {}
  return [...readDocument({ client, path, text }).entries].map(([name, entry]) => {
    const ours = isDeepStrictEqual(entry, own[name]?.entry)
    return { client: client.name, scope, file: path, name, server: serverOf(entry), ours }
  })
}

function serverOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return '?'
  const { url, httpUrl, command, args } = entry as Record<string, unknown>
  const target = url ?? httpUrl
  if (typeof target === 'string') return withoutSecrets(target)
  // The arguments of our own program end with the URL; those of others may hold anything.
  const last: unknown = Array.isArray(args) && String(args[0]).includes('connect') ? args.at(-1) : undefined
  if (typeof command !== 'string') return '?'
  return typeof last === 'string' && URL.canParse(last) ? `stdio, ${withoutSecrets(last)}` : command
}

function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return '?'
  const { protocol, host, pathname } = new URL(text)
  return `${protocol}//${host}${pathname}`
}

function table(listed: readonly Listed[]): string {
  const rows = listed.map(({ name, client, scope, server, ours, file }) => [
    `${name}${ours ? '' : ' *'}`,
    `${client} (${scope})`,
    server,
    file,
  ])
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  const note = listed.some(({ ours }) => !ours) ? ['* not written by this program'] : []
  return lines.length === 0 ? 'no server is configured\n' : [...lines, ...note, ''].join('\n')
}
