/** The way from an object to one of its fields. */
export type FieldPath = readonly (string | number)[]

/** `spec.addresses[0]`; a key that is no plain word stands in quotes, `metadata.labels["a/b"]`. */
export function formatFieldPath(path: FieldPath): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (/^[A-Za-z_][-A-Za-z0-9_]*$/.test(step)) text += text === '' ? step : `.${step}`
    else text += `[${printable(step)}]`
  }
  return text
}

/** A foreign word in quotes, safe for a terminal and short. */
export function printable(word: string): string {
  const short = word.length > 64 ? `${word.slice(0, 64)}...` : word
  return JSON.stringify(short).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
