import { KIND_NAMES, KINDS } from '../kinds/all-kinds.ts'
import type { KindName } from '../kinds/kind.ts'
import { NOT_IMPLEMENTED } from '../kinds/not-implemented.ts'
import { crdYaml } from './crd.ts'
import { referencePage } from './reference-page.ts'

/** Folders of the repository in which every file is generated. */
export const GENERATED_FOLDERS = ['charts/causeway-crds/crds', 'docs/reference'] as const

/** Every generated file: its path in the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const [crds, pages] = GENERATED_FOLDERS
  return new Map(
    KIND_NAMES.flatMap((name): [string, string][] => [
      [`${crds}/${KINDS[name].plural}.yaml`, crdYaml(KINDS[name])],
      [`${pages}/${name.toLowerCase()}.md`, referencePage({ ...KINDS[name], notImplemented: notImplementedOf(name) })],
    ]),
  )
}

function notImplementedOf(kind: KindName): readonly string[] {
  return NOT_IMPLEMENTED.filter((row) => row.kind === kind).map(({ fieldPath }) => fieldPath)
}
