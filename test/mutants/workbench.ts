import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ROOT, withLocalBin } from '../tools/step.ts'

/** A copy of the packages and tests in which a mutant can live, sharing the installed dependencies. */
export interface Workbench {
  readonly folder: string
  remove(): void
}

export function createWorkbench(): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-mutants-'))
  for (const part of ['services', 'test']) {
    cpSync(join(ROOT, part), join(folder, part), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    })
  }
  for (const file of ['package.json', 'tsconfig.json', 'vitest.config.ts']) cpSync(join(ROOT, file), join(folder, file))
  linkDependencies(folder)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Installed packages are linked one by one, the workspaces to the copy. */
function linkDependencies(folder: string): void {
  const installed = join(ROOT, 'node_modules')
  mkdirSync(join(folder, 'node_modules/@causeway'), { recursive: true })
  for (const name of readdirSync(installed)) {
    if (name !== '@causeway' && name !== '.vite' && name !== '.vite-temp')
      symlinkSync(join(installed, name), join(folder, 'node_modules', name))
  }
  for (const name of readdirSync(join(folder, 'services'))) {
    symlinkSync(join(folder, 'services', name), join(folder, 'node_modules/@causeway', name))
  }
  symlinkSync(join(folder, 'test'), join(folder, 'node_modules/@causeway/test'))
}

/** Replaces `find` by `replace` in a file of the workbench; the returned function puts the original back. */
export function mutate(bench: Workbench, file: string, find: string, replace: string): () => void {
  const path = join(bench.folder, file)
  const original = readFileSync(path, 'utf8')
  const times = original.split(find).length - 1
  if (times !== 1) throw new Error(`${file}: the text to replace stands ${times} times, not once: ${find}`)
  writeFileSync(
    path,
    original.replace(find, () => replace),
  )
  return () => writeFileSync(path, original)
}

export interface TestRun {
  readonly passed: number
  /** Titles of the tests that failed. */
  readonly failed: readonly string[]
}

interface VitestJson {
  readonly numPassedTests: number
  readonly testResults: readonly { assertionResults: readonly { status: string; fullName: string }[] }[]
}

/** Runs those tests of `files` whose title cites `id`; all of them when no id is given. */
export function runTests(bench: Workbench, files: readonly string[], id?: string): Promise<TestRun> {
  const report = join(bench.folder, 'report.json')
  rmSync(report, { force: true })
  const cited = id === undefined ? [] : ['-t', `\\[${id}\\]`]
  const args = [
    'run',
    ...files,
    ...cited,
    '--bail=1',
    '--reporter=json',
    `--outputFile=${report}`,
    '--no-file-parallelism',
  ]
  const limitMs = id === undefined ? 600_000 : 60_000
  return new Promise((resolve, reject) => {
    const child = spawn('vitest', args, { cwd: bench.folder, stdio: 'ignore', env: withLocalBin(process.env) })
    // A mutant may loop for ever: that is a kill too, but never a hang of ours.
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    child.on('error', reject)
    child.on('exit', (_code, signal) => {
      clearTimeout(timer)
      if (signal === 'SIGKILL') return resolve({ passed: 0, failed: [`(did not end within ${limitMs / 1000} s)`] })
      try {
        const json = JSON.parse(readFileSync(report, 'utf8')) as VitestJson
        const tests = json.testResults.flatMap((file) => file.assertionResults)
        resolve({
          passed: json.numPassedTests,
          failed: tests.filter((one) => one.status === 'failed').map((one) => one.fullName),
        })
      } catch (error) {
        reject(new Error(`no report from the test runner`, { cause: error }))
      }
    })
  })
}
