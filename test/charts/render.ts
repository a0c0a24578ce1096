import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { program } from '../cluster/binaries/build.ts'
import { ROOT } from '../tools/step.ts'

const run = promisify(execFile)

export const CHARTS = join(ROOT, 'charts')

/** What every object of Kubernetes has, and the parts of the kinds that these tests look into. */
export interface Rendered {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly rules?: readonly PolicyRule[]
  readonly subjects?: readonly { readonly name: string; readonly namespace?: string }[]
  readonly roleRef?: { readonly kind: string; readonly name: string }
}

interface PolicyRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** `helm template` of the product's chart, as release `mesh` in namespace `causeway-system`. Rejects with helm's words. */
export async function render(values: Readonly<Record<string, unknown>> = {}): Promise<readonly Rendered[]> {
  const text = await renderText(values)
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Rendered | null) ?? [])
}

export async function renderText(values: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const sets = Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`])
  return helm(['template', 'mesh', join(CHARTS, 'causeway'), '--namespace', 'causeway-system', ...sets])
}

export async function helm(args: readonly string[]): Promise<string> {
  const { stdout } = await run(await program('helm'), args, { maxBuffer: 16_000_000 })
  return stdout
}
