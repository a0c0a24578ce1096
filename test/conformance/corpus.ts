import { readFileSync } from 'node:fs'

export interface Vector {
  readonly tcId: number
  readonly requirement: string
  readonly comment: string
  readonly in: Record<string, unknown>
  readonly expected?: Record<string, unknown>
  readonly result: 'valid' | 'invalid' | 'acceptable'
}

export interface VectorGroup {
  readonly op: string
  readonly tests: readonly Vector[]
}

export type Answer =
  | { readonly out: Record<string, unknown> }
  | { readonly error: string }
  | { readonly skipped: string }

/** The published conformance corpus; `test/vectors/README.md` says where it comes from. */
export function corpus(): readonly VectorGroup[] {
  const file = new URL('../vectors/conformance-corpus.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { testGroups: VectorGroup[] }).testGroups
}

/** Why the answer does not satisfy the vector, or undefined when it does. */
export function mismatch(vector: Vector, answer: Answer): string | undefined {
  if ('skipped' in answer) return `skipped: ${answer.skipped}`
  if (vector.result === 'acceptable') return undefined
  if (vector.result === 'invalid') return 'error' in answer ? undefined : `accepted: ${JSON.stringify(answer.out)}`
  if ('error' in answer) return `rejected: ${answer.error}`
  for (const [name, want] of Object.entries(vector.expected ?? {})) {
    const got = answer.out[name]
    if (!same(got, want)) return `${name}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`
  }
  return undefined
}

/** Octet strings are hex in either case; objects compare member by member. */
function same(got: unknown, want: unknown): boolean {
  if (typeof got === 'string' && typeof want === 'string') return got.toLowerCase() === want.toLowerCase()
  if (typeof got !== 'object' || typeof want !== 'object' || got === null || want === null) return got === want
  const members = new Set([...Object.keys(got), ...Object.keys(want)])
  return [...members].every((name) => same(Reflect.get(got, name), Reflect.get(want, name)))
}
