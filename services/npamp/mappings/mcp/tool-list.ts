import { arrayElements, findMember, jsonKind, shortText } from '../../bridge/jsonrpc/json-text.ts'
import type { ScannedMessage } from '../../bridge/jsonrpc/scan.ts'
import { hintsOf, type ToolHints } from './tool-effect.ts'

export interface ListedTool {
  readonly name: string
  readonly hints: ToolHints | undefined
}

/** One page of a `tools/list` result, as far as labels need it. */
export interface ToolPage {
  readonly tools: readonly ListedTool[]
  /** No page follows: `nextCursor` is absent, or null, which is read as absent (MCP-045). An empty string is a cursor. */
  readonly last: boolean
}

const MAX_TOOLS_PER_PAGE = 10_000
/** A tool with a longer name is not known by it. */
const MAX_NAME_UNITS = 1_024

/** Undefined where the message is no result of `tools/list`, or has more tools than anybody could mean. */
export function toolPageOf({ text, result }: ScannedMessage): ToolPage | undefined {
  const tools = result && findMember(text, result, 'tools')
  if (result === undefined || tools === undefined || jsonKind(text, tools) !== 'array') return undefined
  const elements = arrayElements(text, tools, MAX_TOOLS_PER_PAGE)
  if (elements === undefined) return undefined
  const cursor = findMember(text, result, 'nextCursor')
  return {
    tools: elements.flatMap((element) => listedTool(element) ?? []),
    last: cursor === undefined || jsonKind(text, cursor) === 'null',
  }
}

/** The tool that a `tools/call` names; undefined where it names none, or one that no list is read for. */
export function calledTool({ text, params }: ScannedMessage): string | undefined {
  const name = params && findMember(text, params, 'name')
  return name === undefined || jsonKind(text, name) !== 'string' ? undefined : shortText(text, name, MAX_NAME_UNITS)
}

function listedTool(element: Uint8Array): ListedTool | undefined {
  const whole = { start: 0, end: element.length }
  const span = findMember(element, whole, 'name')
  if (span === undefined || jsonKind(element, span) !== 'string') return undefined
  const name = shortText(element, span, MAX_NAME_UNITS)
  return name === undefined ? undefined : { name, hints: hintsOf(element, whole) }
}
