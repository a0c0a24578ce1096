import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import rootManifest from '../../../package.json' with { type: 'json' }
import { ROOT } from '../step.ts'
import { USER_ID } from './node-runtime.ts'
import { packProductImage } from './product-image.ts'

/** The image of the compiled packages, taken apart as a container engine does. */
const work = mkdtempSync(join(tmpdir(), 'causeway-image-'))
const root = join(work, 'rootfs')
const archive = join(work, 'image.tar')
const image = { compiled: join(work, 'dist'), repository: 'registry.example/causeway', createdSeconds: 0 }
const MEGA = 1_000_000
const DEPLOYABLES = ['services/relay', 'services/control-plane', 'operator']

interface Descriptor {
  readonly digest: string
  readonly size: number
}

function blob(layout: string, { digest }: Descriptor): Buffer {
  return readFileSync(join(layout, 'blobs', digest.replace(':', '/')))
}

function json<T>(octets: Buffer): T {
  return JSON.parse(octets.toString('utf8')) as T
}

let config: {
  readonly config: {
    readonly User: string
    readonly Entrypoint: string[]
    readonly WorkingDir: string
    readonly Labels: Record<string, string>
  }
  readonly rootfs: { readonly diff_ids: string[] }
}
let layers: Descriptor[]
let manifestDescriptor: Descriptor
let digest: string

beforeAll(async () => {
  execFileSync('node', ['test/tools/build.ts', '--out', image.compiled], { cwd: ROOT, stdio: 'pipe' })
  digest = (await packProductImage(archive, image)).digest
  const layout = join(work, 'layout')
  mkdirSync(layout)
  mkdirSync(root)
  execFileSync('tar', ['-C', layout, '-xf', archive])
  const index = json<{ manifests: Descriptor[] }>(readFileSync(join(layout, 'index.json')))
  const [only] = index.manifests
  if (only === undefined) throw new Error('no manifest')
  manifestDescriptor = only
  const manifest = json<{ config: Descriptor; layers: Descriptor[] }>(blob(layout, manifestDescriptor))
  layers = manifest.layers
  config = json(blob(layout, manifest.config))
  for (const layer of layers) {
    execFileSync('tar', ['-C', root, '-xzpf', join(layout, 'blobs', layer.digest.replace(':', '/'))])
  }
}, 120_000)

afterAll(() => rmSync(work, { recursive: true, force: true }))

describe('the image', () => {
  it('is an OCI layout whose digests are those of what they name', () => {
    const layout = join(work, 'layout')
    expect(json(readFileSync(join(layout, 'oci-layout')))).toEqual({ imageLayoutVersion: '1.0.0' })
    expect(manifestDescriptor).toMatchObject({
      digest,
      platform: { os: 'linux' },
      annotations: { 'io.containerd.image.name': `registry.example/causeway:${rootManifest.version}` },
    })
    for (const name of readdirSync(join(layout, 'blobs/sha256'))) {
      expect(sha256(readFileSync(join(layout, 'blobs/sha256', name)))).toBe(name)
    }
    const unpacked = layers.map((layer) => `sha256:${sha256(gunzipSync(blob(layout, layer)))}`)
    expect(config.rootfs.diff_ids).toEqual(unpacked)
  })

  it('runs as a user that is not root, by number, in the folder of the product, and says what it is', () => {
    expect(config.config).toMatchObject({
      User: `${USER_ID}:${USER_ID}`,
      Entrypoint: ['/usr/bin/node'],
      WorkingDir: '/app',
      Labels: {
        'org.opencontainers.image.version': rootManifest.version,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    })
    expect(readFileSync(join(root, 'etc/passwd'), 'utf8')).toContain(`causeway:x:${USER_ID}:${USER_ID}:`)
  })

  it('has nothing that the user may write, that raises privileges, or that is a shell', () => {
    const members = everythingBelow(root)
    expect(members.length).toBeGreaterThan(1000)
    for (const { path, mode, isLink } of members) {
      if (isLink || path === 'tmp') continue
      expect(mode & 0o7022, path).toBe(0)
    }
    for (const name of ['bin/sh', 'usr/bin/sh', 'usr/bin/env', 'usr/bin/npm']) {
      expect(existsSync(join(root, name)), name).toBe(false)
    }
  })

  it('has each deployable compiled, and no sources, tests, types or tools of developers', () => {
    const programs = ['services/cli/launch.mjs', ...DEPLOYABLES.map((one) => `${one}/main.js`)]
    for (const entry of programs) {
      expect(existsSync(join(root, 'app', entry)), entry).toBe(true)
    }
    const modules = readdirSync(join(root, 'app/node_modules'))
    for (const name of Object.keys(rootManifest.devDependencies)) {
      expect(modules, name).not.toContain(name)
    }
    const ours = everythingBelow(join(root, 'app')).filter(({ path }) => !path.includes('node_modules/'))
    expect(ours.map(({ path }) => path).filter((path) => /\.ts$|\.test\.|fixtures/.test(path))).toEqual([])
  })

  it('stays small: 75 MB to pull, most of it Node', () => {
    const [runtime, modules, product] = layers.map((layer) => layer.size / MEGA)
    expect(runtime).toBeLessThan(55)
    expect(modules).toBeLessThan(18)
    expect(product).toBeLessThan(2)
  })

  it('is the same again, octet for octet, whenever it is packed', async () => {
    const again = join(work, 'again.tar')
    expect((await packProductImage(again, image)).digest).toBe(digest)
    expect(sha256(readFileSync(again))).toBe(sha256(readFileSync(archive)))
    expect(statSync(again).size).toBe(statSync(archive).size)
  }, 60_000)

  it.each(['services/cli/launch.mjs', 'services/connect/launch.mjs'])('runs %s from its own files alone', (entry) => {
    expect(inRootFileSystem([`/app/${entry}`, '--version']).trim()).toBe(rootManifest.version)
  })

  it.each(DEPLOYABLES)('has all that %s imports', (deployable) => {
    // It has not been told what it needs, and says so: everything has been loaded by then.
    expect(() => inRootFileSystem([`/app/${deployable}/main.js`])).toThrow(/--namespace is needed/)
  })
})

/** As the image's user in a root of its own; whoever may not do that uses the image's loader and libraries on its files. */
function inRootFileSystem(args: readonly string[]): string {
  const environment = { PATH: '/usr/bin', NODE_ENV: 'production' }
  if (process.getuid?.() === 0) {
    const inside = [`--userspec=${USER_ID}:${USER_ID}`, root, '/usr/bin/node', ...args]
    return execFileSync('chroot', inside, {
      cwd: '/',
      encoding: 'utf8',
      env: { ...environment, PATH: process.env.PATH },
    })
  }
  const [loader] = everythingBelow(root).filter(({ path }) => /(^|\/)ld-linux[^/]*$/.test(path))
  const folders = [
    ...new Set(everythingBelow(root).flatMap(({ path }) => /^(lib.*)\/[^/]+\.so[^/]*$/.exec(path)?.[1] ?? [])),
  ]
  if (loader === undefined) throw new Error('no loader in the image')
  const libraries = folders.map((folder) => join(root, folder)).join(':')
  const moved = args.map((arg) => (arg.startsWith('/app/') ? join(root, arg) : arg))
  const command = ['--library-path', libraries, join(root, 'usr/bin/node'), ...moved]
  return execFileSync(join(root, loader.path), command, { cwd: join(root, 'app'), encoding: 'utf8', env: environment })
}

function everythingBelow(folder: string) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => {
    const kind = lstatSync(join(folder, path))
    return { path, mode: kind.mode & 0o7777, isLink: kind.isSymbolicLink() }
  })
}

function sha256(octets: Buffer): string {
  return createHash('sha256').update(octets).digest('hex')
}
