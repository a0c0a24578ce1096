import { idKey, MalformedError, scanMessage } from '@causeway/npamp'
import type { Line } from './line-reader.ts'

type TooLongLine = Extract<Line, { kind: 'tooLong' }>

/**
 * Whose answer a line was that was too long to be kept. JSON-RPC writers put the id right at one of the two ends, and there
 * it can be told without the rest: before the first nested value, or as the last member.
 */
export function tooLongAnswer({ head, tail }: TooLongLine): { readonly key: string } | 'noAnswer' | 'untold' {
  const start = Buffer.from(head).toString('latin1')
  if (NOT_AN_ANSWER.test(start)) return 'noAnswer'
  const token = ID_FIRST.exec(start)?.[1] ?? ID_LAST.exec(Buffer.from(tail).toString('latin1'))?.[1]
  const key = token === undefined ? undefined : keyOf(token)
  return key === undefined ? 'untold' : { key }
}

/** Undefined where it is no id after all. */
function keyOf(token: string): string | undefined {
  try {
    const { idToken } = scanMessage(Buffer.from(`{"jsonrpc":"2.0","id":${token},"result":0}`, 'latin1'))
    return idToken === undefined ? undefined : idKey(idToken)
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}

const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`
/** A string without a backslash is enough for ids that anybody writes; others are untold. */
const ID = String.raw`"id"\s*:\s*("[^"\\]{0,256}"|-?[0-9][0-9.eE+-]{0,64})`

const NOT_AN_ANSWER = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?(?:${ID}\s*,\s*)?"method"`)
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,`)
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`)
