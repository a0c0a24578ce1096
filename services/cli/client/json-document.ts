import { type JsonMember, type JsonNode, type JsonObject, JsonSyntaxError, placeOf } from '../jsonc/node.ts'
import { parseJson } from '../jsonc/parse.ts'
import { type Document, DocumentError, type Layout, layoutOf } from './document.ts'
import type { Edit } from './edits.ts'
import { endsInLineComment, lineRest, skipTrivia } from './json-trivia.ts'

/**
 * Reads a JSON file with one container of entries, to be edited without touching anything else. Throws DocumentError.
 *
 * @param withComments whether the client reads comments and trailing commas
 */
export function readJsonDocument(text: string, container: string, withComments: boolean): Document {
  const root = readRoot(text, withComments)
  const servers = root === undefined ? undefined : objectIn(text, root, container)
  return {
    entries: new Map(servers?.members.map(({ name, value }) => [name, plain(value)])),
    hasContainer: servers !== undefined,
    isBare: root === undefined || (root.members.length === 0 && text.slice(root.start + 1, root.end - 1).trim() === ''),
    gap: '',
    insert(name, entry) {
      const layout = layoutOf(text)
      if (root === undefined)
        return [inserted(text.length, `${printed({ [container]: { [name]: entry } }, layout)}${layout.lineEnd}`)]
      if (servers === undefined) return insertMember(text, root, container, { [name]: entry }, layout, 1)
      return insertMember(text, servers, name, entry, layout, 2)
    },
    replace(name, entry) {
      const { value } = memberOf(servers, name)
      const indent = /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, value.start))?.[1] ?? ''
      const removed = text.slice(value.start, value.end)
      return [{ at: value.start, removed, inserted: layOut(entry, layoutOf(text), indent, /[\r\n]/.test(removed)) }]
    },
    remove(name, andContainer) {
      if (root === undefined || servers === undefined) throw new TypeError('there is no entry to remove')
      const removeIt = (object: JsonObject, member: string) => removeMember(text, object, memberOf(object, member))
      if (andContainer && servers.members.length === 1) return removeIt(root, container)
      return removeIt(servers, name)
    },
  }
}

/** Undefined where the file is empty, which is as good as an empty object. */
function readRoot(text: string, withComments: boolean): JsonObject | undefined {
  if (/^\uFEFF?\s*$/.test(text)) return undefined
  try {
    const root = parseJson(text)
    if (!withComments) requireStrict(text)
    if (root.kind === 'object') return root
    throw new JsonSyntaxError(root.start, 'expected an object')
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const { line, column } = placeOf(text, error.offset)
    throw new DocumentError(line, column, error.message)
  }
}

/** What the parser passes and the client would not. */
function requireStrict(text: string): void {
  const bom = text.startsWith('\uFEFF') ? 1 : 0
  try {
    JSON.parse(text.slice(bom))
  } catch (error) {
    const offset = /position (\d+)/.exec(String(error))?.[1]
    throw new JsonSyntaxError(bom + Number(offset ?? 0), 'this client reads neither comments nor trailing commas')
  }
}

function objectIn(text: string, root: JsonObject, name: string): JsonObject | undefined {
  const member = root.members.find((one) => one.name === name)
  if (member === undefined) return undefined
  if (member.value.kind === 'object') return member.value
  const { line, column } = placeOf(text, member.value.start)
  throw new DocumentError(line, column, `${name} is not an object`)
}

function memberOf(object: JsonObject | undefined, name: string): JsonMember {
  const member = object?.members.find((one) => one.name === name)
  if (member === undefined) throw new TypeError(`there is no member ${name}`)
  return member
}

function insertMember(
  text: string,
  object: JsonObject,
  name: string,
  value: object,
  layout: Layout,
  depth: number,
): Edit[] {
  const last = object.members.at(-1)
  if (last === undefined) return [insertFirst(text, object, name, value, layout, depth)]
  const before = text.slice(object.start + 1, object.members[0]?.nameStart)
  const manyLines = /[\r\n]/.test(before)
  const ownIndent = /[\r\n]([ \t]*)$/.exec(text.slice(0, last.nameStart))?.[1]
  const indent = ownIndent ?? layout.indent.repeat(depth)
  const member = `${JSON.stringify(name)}: ${layOut(value, layout, indent, manyLines)}`

  const comma = skipTrivia(text, last.value.end)
  const hasComma = text[comma] === ','
  // Behind a comment that stands on the line of what it explains.
  const at = lineRest(text, hasComma ? comma + 1 : last.value.end)
  const separator = manyLines || at.isLineComment ? `${layout.lineEnd}${indent}` : ' '
  // A file that ends its members with a comma keeps doing so.
  if (hasComma) return [inserted(at.end, `${separator}${member},`)]
  return [inserted(last.value.end, ','), inserted(at.end, `${separator}${member}`)]
}

function insertFirst(
  text: string,
  object: JsonObject,
  name: string,
  value: object,
  layout: Layout,
  depth: number,
): Edit {
  const inner = text.slice(object.start + 1, object.end - 1)
  const at = object.start + 1 + inner.trimEnd().length
  const indent = layout.indent.repeat(depth)
  const member = `${JSON.stringify(name)}: ${layOut(value, layout, indent, true)}`
  const tail = /[\r\n]/.test(text.slice(at, object.end - 1))
    ? ''
    : `${layout.lineEnd}${layout.indent.repeat(depth - 1)}`
  return inserted(at, `${layout.lineEnd}${indent}${member}${tail}`)
}

/** The member, the comma that it no longer needs, and the blanks before it. */
function removeMember(text: string, object: JsonObject, member: JsonMember): Edit[] {
  const previous = object.members[object.members.indexOf(member) - 1]
  const comma = skipTrivia(text, member.value.end)
  const hasComma = text[comma] === ','
  const separator = previous === undefined ? undefined : skipTrivia(text, previous.value.end)
  const from = removableFrom(text, separator ?? object.start, member.nameStart, hasComma ? comma + 1 : member.value.end)
  if (hasComma) return [removed(text, from, member.value.end), removed(text, comma, comma + 1)]
  if (separator !== undefined) return [removed(text, separator, separator + 1), removed(text, from, member.value.end)]
  const isAlone = (text.slice(object.start + 1, from) + text.slice(member.value.end, object.end - 1)).trim() === ''
  return [removed(text, from, isAlone ? object.end - 1 : member.value.end)]
}

/** Where the blanks before a member begin; the member itself where its line's end must stay to end a comment. */
function removableFrom(text: string, token: number, nameStart: number, end: number): number {
  const from = token + 1 + text.slice(token + 1, nameStart).trimEnd().length
  const mustEndLine =
    endsInLineComment(text.slice(token + 1, from)) && !/^[ \t]*[\r\n]/.test(text.slice(end, end + 200))
  return mustEndLine ? nameStart : from
}

function printed(value: object, layout: Layout): string {
  return layOut(value, layout, '', true)
}

function layOut(value: object, { lineEnd, indent: unit }: Layout, indent: string, manyLines: boolean): string {
  if (!manyLines) return JSON.stringify(value)
  return JSON.stringify(value, null, unit).replaceAll('\n', `${lineEnd}${indent}`)
}

function inserted(at: number, text: string): Edit {
  return { at, removed: '', inserted: text }
}

function removed(text: string, start: number, end: number): Edit {
  return { at: start, removed: text.slice(start, end), inserted: '' }
}

function plain(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.elements.map(plain)
  return Object.fromEntries(node.members.map(({ name, value }) => [name, plain(value)]))
}
