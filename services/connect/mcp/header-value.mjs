/**
 * A value as the headers `Mcp-Name` and `Mcp-Param-*` carry it: as is where HTTP leaves it whole, else in base64 between
 * markers (digest 10, section 1).
 *
 * @param {string} value
 * @returns {string}
 */
export function headerValue(value) {
  const plain = /^[\x20-\x7e]*$/.test(value) && value.trim() === value && !/^=\?base64\?.*\?=$/i.test(value)
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}
