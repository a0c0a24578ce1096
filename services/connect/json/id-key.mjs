/**
 * A Map key for the token of a JSON-RPC id: equal for ids of the same type and value. `1`, `1.0` and `10e-1` are one id, `1`
 * and `"1"` are two; numbers are compared as exact decimals, never as doubles (CARRIAGE section 2).
 *
 * @param {string} token a JSON string, number or null, as it was written
 * @returns {string}
 */
export function idKey(token) {
  if (token.startsWith('"')) return `s${JSON.parse(token)}`
  return token === 'null' ? token : numberKey(token)
}

/**
 * Sign, digits without zeros at either end, exponent.
 *
 * @param {string} token
 * @returns {string}
 */
function numberKey(token) {
  const negative = token.startsWith('-')
  const exponentAt = token.search(/[eE]/)
  const mantissa = token.slice(negative ? 1 : 0, exponentAt < 0 ? token.length : exponentAt)
  const point = mantissa.indexOf('.')
  const fraction = point < 0 ? '' : mantissa.slice(point + 1)
  const digits = point < 0 ? mantissa : mantissa.slice(0, point) + fraction
  let first = 0
  while (digits[first] === '0') first++
  if (first === digits.length) return 'n0'
  let last = digits.length
  while (digits[last - 1] === '0') last--
  const exponent = exponentAt < 0 ? 0 : Number(token.slice(exponentAt + 1))
  // Beyond what a double counts exactly an id equals only itself.
  if (!Number.isSafeInteger(exponent)) return `n${token}`
  return `n${negative ? '-' : ''}${digits.slice(first, last)}e${exponent + digits.length - last - fraction.length}`
}
