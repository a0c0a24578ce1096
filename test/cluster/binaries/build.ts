import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GO_MODULES, type GoModule, type ProgramName } from './table.ts'

const MODULES = fileURLToPath(new URL('.', import.meta.url))

/**
 * Files of the programs named. What is missing is built first, which takes minutes when the cache is cold. Rejects with
 * the compiler's words when that fails: a missing program is a failure of the tests that need it, never a reason to
 * skip them.
 */
export async function programs<Name extends ProgramName>(names: readonly Name[]): Promise<Record<Name, string>> {
  const files = {} as Record<Name, string>
  for (const name of names) files[name] = await program(name)
  return files
}

/** One program's file in the user's cache folder, built when it is not there. */
export async function program(name: ProgramName): Promise<string> {
  const module = moduleOf(name)
  const folder = await cacheFolder(module)
  const file = join(folder, name)
  if (existsSync(file)) return file
  await mkdir(folder, { recursive: true })
  await build(module, name, file)
  return file
}

function moduleOf(name: ProgramName): GoModule {
  const module = GO_MODULES.find((one) => name in one.programs)
  if (module === undefined) throw new Error(`no module builds ${name}`)
  return module
}

/** Named after what goes into the programs, so that another version is another folder. */
async function cacheFolder(module: GoModule): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum', ...(module.sources ?? [])])
    hash.update(await readFile(join(MODULES, module.folder, file)))
  hash.update(JSON.stringify([await buildFlags(module), process.arch]))
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  return join(cache, 'causeway-cluster', `${module.folder}-${hash.digest('hex').slice(0, 16)}`)
}

/** Under a temporary name first: two runs never see half a file. */
async function build(module: GoModule, name: ProgramName, file: string): Promise<void> {
  const importPath = module.programs[name] ?? ''
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`
  console.error(`building ${name} (${importPath}), once`)
  const started = performance.now()
  try {
    await goUnlessThere(module, file, ['build', ...(await buildFlags(module)), '-o', unfinished, importPath])
    if (existsSync(unfinished)) await rename(unfinished, file)
  } finally {
    await rm(unfinished, { force: true })
  }
  console.error(`${name} is there after ${((performance.now() - started) / 1000).toFixed(0)} s`)
}

async function buildFlags(module: GoModule): Promise<string[]> {
  const manifest = await readFile(join(MODULES, module.folder, 'go.mod'), 'utf8')
  const version = new RegExp(`^(?:require )?\\s*${module.requires} (v\\S+)`, 'm').exec(manifest)?.[1]
  if (version === undefined) throw new Error(`${module.folder}/go.mod does not require ${module.requires}`)
  const ldflags = ['-s', '-w', module.ldflags?.(version)].filter((part) => part !== undefined)
  const tags = module.tags === undefined ? [] : ['-tags', module.tags]
  return ['-trimpath', '-buildvcs=false', '-ldflags', ldflags.join(' '), ...tags]
}

/**
 * Runs `go` unless `file` is there by the time that nobody else builds it. The lock is the kernel's, so that it ends with
 * its holder; `nice`, because whoever builds goes on working meanwhile.
 */
function goUnlessThere(module: GoModule, file: string, args: readonly string[]): Promise<void> {
  const script = 'test -e "$0" || exec nice go "$@"'
  const options = {
    cwd: join(MODULES, module.folder),
    env: { ...process.env, CGO_ENABLED: '0' },
    maxBuffer: 64 * 1024 * 1024,
  }
  return new Promise((resolve, reject) => {
    execFile('flock', [`${file}.lock`, 'sh', '-c', script, file, ...args], options, (error, _stdout, stderr) => {
      if (error === null) resolve()
      else reject(new Error(`go ${args.join(' ')}: ${stderr || error.message}`))
    })
  })
}
