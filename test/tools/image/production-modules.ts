import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { filesBelow, linkTo } from './files.ts'
import type { TarEntry } from './tar.ts'

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** What the given workspaces need to run: folders relative to the checkout. */
export interface Production {
  /** Workspaces, those that were given among them. */
  readonly workspaces: readonly string[]
  /** Packages of others, each where it lies in some `node_modules`. */
  readonly modules: readonly string[]
  /** `node_modules/@causeway/...`: from the link to the workspace. */
  readonly links: ReadonlyMap<string, string>
}

/** Follows dependencies as Node resolves them from where they lie. Never a development dependency. */
export function productionOf(root: string, workspaces: readonly string[]): Production {
  const seen = new Set<string>()
  const links = new Map<string, string>()
  const visit = (folder: string) => {
    if (seen.has(folder)) return
    seen.add(folder)
    for (const { name, optional } of needsOf(readManifest(join(root, folder)))) {
      const found = resolve(root, folder, name)
      if (found === undefined) {
        if (optional) continue
        throw new Error(`${folder} needs ${name}, which is not installed: run npm ci`)
      }
      const real = relative(root, realpathSync(join(root, found)))
      if (real !== found) links.set(found, real)
      visit(real)
    }
  }
  for (const workspace of workspaces) visit(workspace)
  const isModule = (folder: string) => folder.startsWith('node_modules/') || folder.includes('/node_modules/')
  const all = [...seen].sort()
  return { workspaces: all.filter((one) => !isModule(one)), modules: all.filter(isModule), links }
}

/** @param prefix the folder of the image that stands for the checkout */
export function moduleEntries(root: string, prefix: string, production: Production): TarEntry[] {
  const links = [...production.links].map(([link, workspace]) =>
    linkTo(`${prefix}/${link}`, relative(dirname(link), workspace)),
  )
  // What a package brings along in a node_modules of its own is in the list by itself, where it is needed.
  const notNested = (path: string) => path === 'node_modules'
  return [...links, ...production.modules.flatMap((one) => filesBelow(join(root, one), `${prefix}/${one}`, notNested))]
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

const TYPES_ONLY = '@types/'

function needsOf(manifest: Manifest): { readonly name: string; readonly optional: boolean }[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  return [
    ...Object.keys(dependencies).map((name) => ({ name, optional: name in optionalDependencies })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, optional: true })),
    ...Object.keys(peerDependencies)
      // A peer that may be missing is for those who use it: they name it themselves.
      .filter((name) => peerDependenciesMeta[name]?.optional !== true)
      .map((name) => ({ name, optional: false })),
  ].filter(({ name }) => !name.startsWith(TYPES_ONLY))
}

/** The folder of a package, seen from another's: the nearest `node_modules` upwards that has it. */
function resolve(root: string, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = folder === '.' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (existsSync(join(root, candidate, 'package.json'))) return candidate
    if (folder === '.') return undefined
  }
}
