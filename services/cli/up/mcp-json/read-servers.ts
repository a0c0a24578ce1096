import { resolve } from 'node:path'
import { ConfigurationError, nearest, type Problem, type SourceFile } from '@causeway/mesh-api'
import { type JsonMember, type JsonNode, type JsonObject, JsonSyntaxError, placeOf } from '../../jsonc/node.ts'
import { parseJson } from '../../jsonc/parse.ts'
import { readEntry } from './entry.ts'
import type { Variables } from './expand.ts'
import { Fields } from './fields.ts'
import { Findings } from './findings.ts'
import type { Reading } from './reading.ts'
import { SEGMENT_RULE, segmentOf } from './segment.ts'
import type { McpServer, McpServers, Origin } from './servers.ts'

/**
 * Reads the servers of an `mcpServers` file: that of Claude Desktop, Claude Code, Cursor and others, or `servers` as VS
 * Code has it. Throws ConfigurationError with every problem; `findings` takes what is found later.
 */
export async function readServers(
  file: SourceFile,
  environment: Variables['environment'],
  onWarning: (warning: Problem) => void,
): Promise<McpServers & { readonly findings: Findings }> {
  const { text, root } = parse(file)
  const findings = new Findings(file.name, text, onWarning)
  const reading = { environment, folder: resolve(file.folder ?? '.'), findings }
  const servers: McpServer[] = []
  const disabled: string[] = []
  const list = serverList(root, findings)
  for (const member of list?.members ?? []) {
    const path = [list?.key ?? '', member.name]
    const at = { path, offset: member.nameStart }
    if (member.value.kind !== 'object') {
      findings.error(at, 'must be an object with command or url')
      continue
    }
    const fields = new Fields(member.value, path, reading)
    if (fields.boolean('disabled') === true || fields.boolean('enabled') === false) disabled.push(member.name)
    else servers.push(...(await readServer(member, fields, at, servers, reading)))
  }
  if (list !== undefined && list.members.length === disabled.length)
    findings.error(list.at, nothingToServe(disabled.length))
  findings.check()
  return { servers, disabled, findings }
}

async function readServer(
  { name }: JsonMember,
  fields: Fields,
  at: Origin,
  others: readonly McpServer[],
  reading: Reading,
): Promise<McpServer[]> {
  const { findings } = reading
  const segment = segmentOf(name)
  if (segment === undefined) {
    findings.error(at, `has a name that makes no part of a URL: it needs some of ${SEGMENT_RULE}, at most 200 in all`)
    return []
  }
  const other = others.find((one) => one.segment === segment)
  if (other !== undefined) {
    findings.error(at, `would be served at /${segment}/mcp, where ${JSON.stringify(other.name)} is; rename one of them`)
  }
  const backend = await readEntry(fields, at, reading)
  // Without one its problems are told, and it still is a server that the file has.
  const { kind, mcp, origins } = backend ?? { kind: 'http', mcp: {}, origins: [] }
  return [{ name, segment, kind, mcp, origins: new Map([['spec', at], ...origins]) }]
}

function nothingToServe(disabled: number): string {
  return disabled === 0 ? 'has no servers; there is nothing to serve' : 'has only servers that are disabled'
}

function parse({ name, octets }: SourceFile): { text: string; root: JsonNode } {
  let text = ''
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets)
    return { text, root: parseJson(text) }
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      const place = placeOf(text, error.offset)
      throw new ConfigurationError([{ file: name, ...place, fieldPath: '', message: `JSON: ${error.message}` }])
    }
    if (!(error instanceof TypeError)) throw error
    throw new ConfigurationError([{ file: name, line: 0, column: 0, fieldPath: '', message: 'is not valid UTF-8' }])
  }
}

interface ServerList {
  readonly key: string
  readonly at: Origin
  readonly members: readonly JsonMember[]
}

const LIST_KEYS = ['mcpServers', 'servers'] as const

function serverList(root: JsonNode, findings: Findings): ServerList | undefined {
  const top = { path: [], offset: root.start }
  if (root.kind !== 'object') return findings.error(top, `must be an object; ${EXAMPLE}`)
  const member = LIST_KEYS.map((key) => memberOf(root, key)).find((one) => one !== undefined)
  if (member === undefined) {
    const close = root.members.find(({ name }) => nearest(name, LIST_KEYS) !== undefined)
    const hint = close && nearest(close.name, LIST_KEYS)
    if (close !== undefined && hint !== undefined) {
      return findings.error({ path: [close.name], offset: close.nameStart }, `unknown key; did you mean ${hint}?`)
    }
    return findings.error(top, `has neither mcpServers nor servers; ${EXAMPLE}`)
  }
  const at = { path: [member.name], offset: member.nameStart }
  if (member.value.kind !== 'object') return findings.error(at, `must be an object; ${EXAMPLE}`)
  return { key: member.name, at, members: member.value.members }
}

const EXAMPLE = 'the usual form is {"mcpServers": {"NAME": {"command": "npx", "args": ["-y", "some-mcp-server"]}}}'

function memberOf(object: JsonObject, name: string): JsonMember | undefined {
  return object.members.find((member) => member.name === name)
}
