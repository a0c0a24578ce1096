/**
 * Where the parts of a JSON text stand. What passes through is never printed anew; this finds the pieces that must be
 * read as they were written: ids, and numbers that a double cannot hold. The text has been through `JSON.parse`.
 */

/**
 * @typedef {object} Span
 * @property {number} start first character
 * @property {number} end behind the last one
 */

/**
 * The value at `path` below the value at `root`; of repeated members the last, as `JSON.parse` takes it.
 *
 * @param {string} text a valid JSON text
 * @param {readonly string[]} path names of object members
 * @returns {Span | undefined} undefined where a member is missing or a value on the way is no object
 */
export function findAt(text, path) {
  let start = skipBlanks(text, 0)
  for (const name of path) {
    const found = text[start] === '{' ? lastMember(text, start, name) : undefined
    if (found === undefined) return undefined
    start = found
  }
  return { start, end: skipValue(text, start) }
}

/**
 * The elements of a top-level array, each as it was written.
 *
 * @param {string} text a valid JSON text that is an array
 * @returns {string[]}
 */
export function elements(text) {
  const found = []
  let at = skipBlanks(text, skipBlanks(text, 0) + 1)
  while (text[at] !== ']') {
    const end = skipValue(text, at)
    found.push(text.slice(at, end))
    at = skipBlanks(text, end)
    if (text[at] === ',') at = skipBlanks(text, at + 1)
  }
  return found
}

/**
 * @param {string} text
 * @param {number} object where its brace stands
 * @param {string} wanted
 * @returns {number | undefined} where the value begins
 */
function lastMember(text, object, wanted) {
  let found
  let at = skipBlanks(text, object + 1)
  while (text[at] === '"') {
    const nameEnd = skipString(text, at)
    const name = text.slice(at, nameEnd)
    const value = skipBlanks(text, skipBlanks(text, nameEnd) + 1)
    if (name === `"${wanted}"` || (name.includes('\\') && JSON.parse(name) === wanted)) found = value
    at = skipBlanks(text, skipValue(text, value))
    if (text[at] === ',') at = skipBlanks(text, at + 1)
  }
  return found
}

/** @param {string} text @param {number} at @returns {number} */
function skipValue(text, at) {
  const first = text[at]
  if (first === '"') return skipString(text, at)
  if (first === '{' || first === '[') return skipContainer(text, at)
  SCALAR.lastIndex = at
  SCALAR.test(text)
  return SCALAR.lastIndex
}

const SCALAR = /[^\s,\]}]+/y

/** @param {string} text @param {number} start @returns {number} */
function skipContainer(text, start) {
  let depth = 0
  let at = start
  do {
    const character = text[at]
    if (character === '"') {
      at = skipString(text, at)
      continue
    }
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    at++
  } while (depth > 0)
  return at
}

/** @param {string} text @param {number} start where its quote stands @returns {number} */
function skipString(text, start) {
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    let slashes = 0
    while (text[quote - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return quote + 1
    from = quote + 1
  }
}

/** @param {string} text @param {number} at @returns {number} */
function skipBlanks(text, at) {
  let position = at
  while (text[position] === ' ' || text[position] === '\n' || text[position] === '\r' || text[position] === '\t')
    position++
  return position
}
