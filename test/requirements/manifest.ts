import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export interface Requirement {
  readonly id: string
  readonly level: 'MUST' | 'SHOULD' | 'MAY'
  readonly area: string
  readonly text: string
  readonly source: string
}

const FILES = [
  'requirements-core.yaml',
  'requirements-mappings.yaml',
  'requirements-own.yaml',
  'requirements-operator.yaml',
  'requirements-control-plane.yaml',
  'requirements-relay.yaml',
]

/** All manifests, in file order. */
export function manifest(): Requirement[] {
  return FILES.flatMap((file) => parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Requirement[])
}
