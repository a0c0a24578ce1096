import { resolve } from 'node:path'
import { isWrittenByRelay, nearest, printable } from '@causeway/mesh-api'
import { missingFolder, missingProgram } from '../missing-program.ts'
import { readEnvFile } from './env-file.ts'
import type { Fields, Text } from './fields.ts'
import type { Findings } from './findings.ts'
import type { Reading } from './reading.ts'
import type { McpServer, Origin } from './servers.ts'

type Backend = Pick<McpServer, 'kind' | 'mcp' | 'origins'>

/** One entry of the file as the server of a MeshBackend. What is wrong goes to the findings; undefined then. */
export async function readEntry(fields: Fields, at: Origin, reading: Reading): Promise<Backend | undefined> {
  const { findings } = reading
  warnOfUnknown(fields, findings)
  const command = fields.text('command')
  const url = URL_FIELDS.map((name) => fields.text(name)).find((text) => text !== undefined)
  const hasUrl = URL_FIELDS.some((name) => fields.has(name))
  if (fields.has('command') && hasUrl) {
    return findings.error(at, 'has command and url; a server is either a program or an endpoint')
  }
  if (!fields.has('command') && !hasUrl) {
    return findings.error(at, 'needs command, as in "command": "npx", or url, as in "url": "http://127.0.0.1:3001/mcp"')
  }
  const kind = kindOf(fields, url, findings)
  if (kind === undefined) return undefined
  if ((kind === 'stdio') !== fields.has('command')) {
    const needed = kind === 'stdio' ? 'command' : 'url'
    return findings.error(fields.at(fields.has('type') ? 'type' : 'transport'), `is ${kind}, which needs ${needed}`)
  }
  if (command !== undefined) return await stdioServer(command, fields, reading)
  return url === undefined ? undefined : httpServer(url, kind, fields, findings)
}

const URL_FIELDS = ['url', 'serverUrl', 'httpUrl'] as const
const TYPE_FIELDS = ['type', 'transport'] as const

const USED = [
  ...URL_FIELDS,
  ...TYPE_FIELDS,
  'command',
  'args',
  'env',
  'envFile',
  'cwd',
  'headers',
  'disabled',
  'enabled',
]

/** What hosts keep in an entry for themselves. */
const OF_HOSTS = new Set(
  'alwaysAllow autoApprove description dev disabledTools excludeTools gallery icon id includeTools name timeout title tools trust version'.split(
    ' ',
  ),
)

function warnOfUnknown(fields: Fields, findings: Findings): void {
  for (const name of fields.names) {
    if (USED.includes(name) || OF_HOSTS.has(name)) continue
    const hint = nearest(name, USED)
    const message = `unknown key ${printable(name)}, which is left out`
    findings.warn(fields.at(name), hint === undefined ? message : `${message}; did you mean ${hint}?`)
  }
}

const KINDS: Readonly<Record<string, McpServer['kind']>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamablehttp: 'http',
  remote: 'http',
  sse: 'sse',
}

function kindOf(fields: Fields, url: Text | undefined, findings: Findings): McpServer['kind'] | undefined {
  const field = TYPE_FIELDS.find((name) => fields.has(name))
  if (field !== undefined) {
    const type = fields.text(field)
    if (type === undefined) return undefined
    const kind = KINDS[type.text.toLowerCase()]
    const hint = nearest(type.text, ['stdio', 'http', 'sse'])
    const suggestion = hint === undefined ? '' : `; did you mean ${hint}?`
    return kind ?? findings.error(type, `must be "stdio", "http" or "sse"${suggestion}`)
  }
  if (fields.has('command')) return 'stdio'
  if (url === undefined || !/\/sse\/?(\?.*)?$/.test(url.text)) return 'http'
  findings.warn(url, 'ends with /sse and is taken for HTTP with SSE (2024-11-05); "type": "http" or "sse" decides it')
  return 'sse'
}

async function stdioServer(command: Text, fields: Fields, reading: Reading): Promise<Backend | undefined> {
  const { findings, environment, folder } = reading
  const origins = new Map<string, Origin>([[`${STDIO}.command`, command]])
  if (/^\S+\s+-/.test(command.text)) {
    return findings.error(command, 'holds arguments too; they belong in args, as in "command": "npx", "args": ["-y"]')
  }
  const args = fields.texts('args')
  args.forEach((arg, index) => void origins.set(`${STDIO}.args[${index}]`, arg))

  const own = fields.map('env', '{"API_KEY": "..."}')
  const envFile = fields.text('envFile')
  const env = new Map(envFile === undefined ? own : [...(await readEnvFile(envFile, reading)), ...own])
  for (const [index, value] of [...env.values()].entries()) origins.set(`${STDIO}.env[${index}]`, value)

  const cwd = fields.text('cwd')
  if (cwd !== undefined) {
    origins.set(`${STDIO}.cwd`, cwd)
    const message = await missingFolder(resolve(folder, cwd.text))
    if (message !== undefined) findings.warn(cwd, message)
  }
  const path = env.get('PATH')?.text ?? environment.PATH
  const message = await missingProgram(command.text, { path, folder })
  if (message !== undefined) findings.warn(command, message)
  if (fields.has('headers')) findings.warn(fields.at('headers'), 'belong to url, and are left out')
  const stdio = {
    command: command.text,
    args: args.map(({ text }) => text),
    env: [...env].map(([name, { text }]) => ({ name, value: text })),
    ...(cwd === undefined ? {} : { cwd: cwd.text }),
  }
  return { kind: 'stdio', mcp: { stdio }, origins }
}

const STDIO = 'spec.mcp.stdio'

function httpServer(url: Text, kind: McpServer['kind'], fields: Fields, findings: Findings): Backend {
  const origins = new Map<string, Origin>([
    ['spec.mcp.url', url],
    ['spec.mcp.headers', fields.at('headers')],
  ])
  const headers: { name: string; value: string }[] = []
  for (const [written, value] of fields.map('headers', '{"Authorization": "Bearer ..."}')) {
    const name = written.toLowerCase()
    if (isWrittenByRelay(name)) {
      findings.warn(value, 'is a header that the relay writes itself, and is left out')
      continue
    }
    origins.set(`spec.mcp.headers[${headers.length}]`, value)
    headers.push({ name, value: value.text })
  }
  for (const name of ['args', 'env', 'envFile', 'cwd'] as const) {
    if (fields.has(name)) findings.warn(fields.at(name), 'belongs to command, and is left out')
  }
  const transport = kind === 'sse' ? 'HTTPSSE' : 'StreamableHTTP'
  return { kind, mcp: { url: url.text, transport, headers }, origins }
}
