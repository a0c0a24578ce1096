import { z } from 'zod'

/** Labels; zod has no bound for the entries of a map, and a CRD none for its keys. */
export const labelMap = (maxEntries = 16) => textMap(63, maxEntries)

export const annotationMap = (maxEntries = 64, maxValue = 4_096) => textMap(maxValue, maxEntries)

function textMap(maxValue: number, maxProperties: number) {
  return z.record(z.string(), z.string().max(maxValue)).meta({ maxProperties })
}

/** What follows the prefix of a key, and a label's value that is not empty. */
const NAME = /^[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** A key of a label or annotation: a name, or `prefix/name`. */
export function isMetadataKey(key: string): boolean {
  const slash = key.indexOf('/')
  const prefix = slash < 0 ? undefined : key.slice(0, slash)
  return NAME.test(key.slice(slash + 1)) && (prefix === undefined || (prefix.length <= 253 && PREFIX.test(prefix)))
}

export function isLabelValue(value: string): boolean {
  return value === '' || NAME.test(value)
}
