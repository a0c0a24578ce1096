import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../step.ts'
import { filesBelow } from './files.ts'
import { APP, packImage } from './pack-image.ts'
import { moduleEntries, productionOf } from './production-modules.ts'

/** Each has an entry of its own in the one image; the rest comes along as what they depend on. */
const DEPLOYABLES = ['services/cli', 'services/control-plane', 'services/relay', 'operator'] as const

export interface ImageFile {
  readonly file: string
  readonly name: string
  /** Of the manifest: `sha256:...`. */
  readonly digest: string
}

interface ProductImage {
  /** Absolute: what `npm run build` wrote. */
  readonly compiled: string
  /** Of the image's name; its tag is the version. */
  readonly repository: string
  /** Since the epoch, for all the times in the image. */
  readonly createdSeconds: number
}

/**
 * Packs what `npm run build` compiled with the modules that it needs. `args` of a pod choose the program:
 * `services/relay/main.js`, `services/control-plane/main.js`, `operator/main.js`, or the command line.
 */
export async function packProductImage(
  out: string,
  { compiled, repository, createdSeconds }: ProductImage,
): Promise<ImageFile> {
  const { version, description, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string
    readonly description: string
    readonly license: string
  }
  const production = productionOf(ROOT, DEPLOYABLES)
  const missing = production.workspaces.filter((one) => !existsSync(join(compiled, one, 'package.json')))
  if (missing.length > 0) throw new Error(`not compiled: ${missing.join(', ')}; run npm run build`)

  const name = `${repository}:${version}`
  const isOther = (path: string) => !belongsToProduct(path, production.workspaces)
  const digest = await packImage(out, {
    name,
    parts: [
      { createdBy: 'modules', entries: moduleEntries(ROOT, APP, production) },
      { createdBy: 'Causeway', entries: filesBelow(compiled, APP, isOther) },
    ],
    command: ['services/cli/launch.mjs', '--help'],
    labels: {
      'org.opencontainers.image.title': 'causeway',
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': license,
    },
    createdSeconds,
  })
  return { file: out, name, digest }
}

/** The compiled folders of the workspaces that run, those above them, and the licence. */
function belongsToProduct(path: string, workspaces: readonly string[]): boolean {
  if (path === 'LICENSE') return true
  return workspaces.some((one) => `${path}/`.startsWith(`${one}/`) || `${one}/`.startsWith(`${path}/`))
}
