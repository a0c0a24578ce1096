import type { RelayIdentityStatus, SourceStatus } from '../source.ts'

type Fields = Readonly<Record<string, unknown>>

const STATES: readonly unknown[] = [
  'Active',
  'Announced',
  'Switched',
  'Retired',
] satisfies RelayIdentityStatus['state'][]

/** What a configuration is made of in `status`. A part that is not of its form is as good as absent. */
export function readStatus(status: unknown): SourceStatus {
  if (!isFields(status)) return {}
  const identity = readIdentity(status.identity)
  const credentials = readCredentials(status.credentials)
  return {
    ...(typeof status.controller === 'string' && { controller: status.controller }),
    ...(identity && { identity }),
    ...(credentials && { credentials }),
  }
}

function readIdentity(value: unknown): RelayIdentityStatus | undefined {
  if (!isFields(value)) return undefined
  const { state, peerHandle } = value
  if (!isState(state) || typeof peerHandle !== 'string') return undefined
  return {
    state,
    peerHandle,
    ...texts(value, ['next', 'previous', 'secretName', 'nextSecretName', 'successor']),
  }
}

function readCredentials(value: unknown): ReadonlyMap<string, string> | undefined {
  if (!Array.isArray(value)) return undefined
  const credentials = new Map<string, string>()
  for (const entry of value) {
    if (!isFields(entry)) continue
    const { file, sha256 } = entry
    if (typeof file === 'string' && typeof sha256 === 'string') credentials.set(file, sha256)
  }
  return credentials
}

function texts<Name extends string>(fields: Fields, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string') found[name] = value
  }
  return found
}

function isState(value: unknown): value is RelayIdentityStatus['state'] {
  return STATES.includes(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
