import { headerValue } from './header-value.mjs'
import { isObject, sliceAt, valueAt } from './message.mjs'

/** @import { RequestPart, ResponsePart } from '../contract.ts' */

/** One argument that also travels in a header. */
/** @typedef {{ readonly header: string, readonly path: readonly string[] }} MirroredArgument */

/** What the tool lists that passed by say about arguments that travel in headers (`x-mcp-header`). */
export class ToolHeaders {
  /** @type {Map<string, readonly MirroredArgument[]>} */
  #tools = new Map()

  /**
   * Reads a `tools/list` result. The list passes on as it is: the annotation is a matter between us and the server.
   *
   * @param {ResponsePart} response
   */
  learn(response) {
    const tools = valueAt(response.value, ['result', 'tools'])
    if (!Array.isArray(tools)) return
    for (const tool of tools) {
      const name = valueAt(tool, ['name'])
      if (typeof name !== 'string') continue
      this.#tools.delete(name)
      if (this.#tools.size < MAX_TOOLS) this.#tools.set(name, mirroredArguments(valueAt(tool, ['inputSchema'])))
    }
  }

  /**
   * @param {RequestPart} call a `tools/call`
   * @returns {Record<string, string>}
   */
  headersOf(call) {
    /** @type {Record<string, string>} */
    const headers = {}
    const tool = valueAt(call.value, ['params', 'name'])
    for (const { header, path } of (typeof tool === 'string' && this.#tools.get(tool)) || []) {
      const value = argumentValue(call, ['params', 'arguments', ...path])
      if (value !== undefined) headers[`mcp-param-${header.toLowerCase()}`] = headerValue(value)
    }
    return headers
  }
}

/**
 * @param {unknown} schema a tool's inputSchema
 * @returns {readonly MirroredArgument[]} none where the annotations break a rule: such a tool declares nothing
 */
function mirroredArguments(schema) {
  /** @type {MirroredArgument[]} */
  const found = []
  const valid = collect(schema, [], found)
  const names = new Set(found.map(({ header }) => header.toLowerCase()))
  return valid && names.size === found.length ? found : []
}

/** @param {unknown} schema @param {readonly string[]} path @param {MirroredArgument[]} found @returns {boolean} */
function collect(schema, path, found) {
  const properties = valueAt(schema, ['properties'])
  if (!isObject(properties) || path.length > MAX_DEPTH) return true
  return Object.entries(properties).every(([name, property]) => {
    const at = [...path, name]
    if (isObject(property) && Object.hasOwn(property, 'x-mcp-header')) {
      const header = property['x-mcp-header']
      const type = property.type
      if (typeof header !== 'string' || !TOKEN.test(header)) return false
      if (type !== 'string' && type !== 'integer' && type !== 'boolean') return false
      found.push({ header, path: at })
    }
    return collect(property, at, found)
  })
}

/** @param {RequestPart} call @param {readonly string[]} path @returns {string | undefined} */
function argumentValue(call, path) {
  const value = valueAt(call.value, path)
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number') return undefined
  // A double may hold another integer than the one that was written.
  const token = sliceAt(call.text, path) ?? ''
  if (/^-?\d+$/.test(token)) return token
  return Number.isSafeInteger(value) ? String(value) : undefined
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
const MAX_TOOLS = 10_000
const MAX_DEPTH = 64
