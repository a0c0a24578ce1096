import { validateHeaderName, validateHeaderValue } from 'node:http'

/** An option or a file cannot be used; the message is for the person who gave it. */
export class OptionError extends Error {}

/**
 * Headers from `Name: value` each, with `${VAR}` in the value replaced from the environment, so that no secret need
 * stand in a configuration file. No message ever shows a value. Throws OptionError.
 *
 * @param {readonly string[]} options
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Record<string, string>} lower-case names
 */
export function readHeaders(options, env) {
  return read(options, (variable) => env[variable])
}

/**
 * Whether they can be headers, whatever their variables will be. Throws OptionError.
 *
 * @param {readonly string[]} options
 */
export function checkHeaders(options) {
  read(options, () => '')
}

/** @typedef {(variable: string) => string | undefined} Lookup */

/** @param {readonly string[]} options @param {Lookup} lookup @returns {Record<string, string>} */
function read(options, lookup) {
  /** @type {Record<string, string>} */
  const headers = {}
  for (const option of options) {
    const colon = option.indexOf(':')
    const name = option.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    if (!isValid(() => validateHeaderName(name)))
      throw new OptionError('--header needs the form "Name: value"; this one has no valid name')
    if (isReserved(name)) throw new OptionError(`--header ${name}: this header belongs to the protocol`)
    const value = expand(option.slice(colon + 1).trim(), name, lookup)
    if (!isValid(() => validateHeaderValue(name, value)))
      throw new OptionError(`--header ${name}: the value has characters that no header can carry`)
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
  }
  return headers
}

/** @param {string} text @param {string} name @param {Lookup} lookup @returns {string} */
function expand(text, name, lookup) {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, variable) => {
    const value = lookup(variable)
    if (value === undefined) throw new OptionError(`--header ${name}: the environment has no ${variable}`)
    return value.trim()
  })
}

/** @param {string} name @returns {boolean} */
function isReserved(name) {
  return RESERVED.has(name) || name.startsWith('mcp-') || name.startsWith('content-') || name.startsWith('proxy-')
}

const RESERVED = new Set([
  'accept',
  'connection',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** @param {() => void} validate @returns {boolean} */
function isValid(validate) {
  try {
    validate()
    return true
  } catch {
    return false
  }
}
