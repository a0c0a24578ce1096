import { parse, stringify, TomlError } from 'smol-toml'
import { placeOf } from '../jsonc/node.ts'
import { type Document, DocumentError, layoutOf } from './document.ts'
import { type TomlTable, tableHeaders } from './toml-headers.ts'

/** Reads a TOML file with one table of entries, to be edited without touching anything else. Throws DocumentError. */
export function readTomlDocument(text: string, container: string): Document {
  const root = readRoot(text)
  const servers = root[container]
  if (servers !== undefined && !isTable(servers)) throw new DocumentError(1, 1, `${container} is not a table`)
  const { lineEnd } = layoutOf(text)
  const gap = /^\uFEFF?$/.test(text) ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
  const block = (name: string, entry: object) =>
    `[${container}.${name}]\n${stringify(entry)}`.trimEnd().replaceAll('\n', lineEnd) + lineEnd
  return {
    entries: new Map(Object.entries(servers ?? {}).map(([name, entry]) => [name, plain(entry)])),
    hasContainer: servers !== undefined,
    isBare: text.trim() === '',
    gap,
    insert(name, entry) {
      requireOpen(text, container, name)
      return [{ at: text.length, removed: '', inserted: gap + block(name, entry) }]
    },
    replace(name, entry) {
      const { start, end } = onlySpan(text, container, name)
      return [{ at: start, removed: text.slice(start, end), inserted: block(name, entry) }]
    },
    remove(name, _andContainer, gap) {
      return spansOf(text, container, name).map(({ start, end }, index) => {
        const from = index === 0 && text.slice(0, start).endsWith(gap) ? start - gap.length : start
        return { at: from, removed: text.slice(from, end), inserted: '' }
      })
    },
  }
}

function readRoot(text: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new DocumentError(error.line, error.column, error.message.split('\n')[0] ?? 'is not TOML')
  }
}

/** Tables without a prototype, and dates of a class of its own, become what JSON has. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Date) return value.toISOString()
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** TOML lets nobody add to an inline table. Throws DocumentError where the container is one. */
function requireOpen(text: string, container: string, name: string): void {
  const beforeTables = text.slice(0, tableHeaders(text)[0]?.start)
  const inline = new RegExp(`^\\uFEFF?[ \\t]*(["']?)${container}\\1[ \\t]*=`, 'm').exec(beforeTables)
  if (inline === null) return
  const { line, column } = placeOf(text, inline.index)
  const written = `${container} is an inline table here, to which nothing can be added`
  throw new DocumentError(line, column, `${written}; write each server as a table of its own: [${container}.${name}]`)
}

/** The entry's own table and those below it. Throws DocumentError where it is written in another way. */
function spansOf(text: string, container: string, name: string): TomlTable[] {
  const tables = tableHeaders(text).filter(({ path }) => path[0] === container && path[1] === name)
  if (tables.length === 0) {
    requireOpen(text, container, name)
    throw new DocumentError(1, 1, `${container}.${name} is not a table of its own; edit it by hand`)
  }
  return tables
}

function onlySpan(text: string, container: string, name: string): TomlTable {
  const [table, ...more] = spansOf(text, container, name)
  if (table === undefined || more.length > 0)
    throw new DocumentError(1, 1, `${container}.${name} has tables below it; edit it by hand`)
  return table
}
