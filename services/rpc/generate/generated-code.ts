import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../..')
/** Programs of the development dependencies: buf finds its plugin through PATH. */
const PROGRAMS = join(ROOT, 'node_modules/.bin')
const LIMIT_MS = 60_000

/** `proto/`, where buf runs. */
export const PROTO_FOLDER = join(ROOT, 'proto')
export const GENERATED_FOLDER = join(ROOT, 'services/rpc/generated')
/** What `buf breaking` compares with: the protocol as of the last time that somebody said it may be relied upon. */
export const BASELINE_FILE = join(PROTO_FOLDER, 'baseline.binpb')

/** Runs buf in `proto/`. Needs no network. Rejects with what buf says. */
export async function buf(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: `${PROGRAMS}${delimiter}${process.env.PATH ?? ''}` }
  try {
    const { stdout } = await promisify(execFile)('buf', args, { cwd: PROTO_FOLDER, env, timeout: LIMIT_MS })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`buf ${args.join(' ')} failed\n${stdout}${stderr}`, { cause: error })
  }
}

/** Every generated file: its path under `generated/`, and its text. */
export async function generatedCode(): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-generate-'))
  try {
    await buf('generate', '--template', JSON.stringify(template(folder)))
    return await textsOf(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The files under a folder by their paths. */
export async function textsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const names = await readdir(folder, { recursive: true })
  for (const name of names.filter((one) => one.endsWith('.ts')).sort()) {
    texts.set(name, await readFile(join(folder, name), 'utf8'))
  }
  return texts
}

/** TypeScript that Node runs as it is: enums are plain objects. */
function template(folder: string) {
  const opt = ['target=ts', 'import_extension=ts', 'erasable_syntax=true', 'elide_plugin_version=true']
  return { version: 'v2', plugins: [{ local: 'protoc-gen-es', out: folder, opt }] }
}
