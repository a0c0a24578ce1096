/**
 * The Python interpreter with the packages of `test/fixtures/python/requirements.txt`, which some tests have as peers. It is
 * made in `node_modules/.cache` when it is not there, or is of other requirements; as a command, it does only that.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './step.ts'

const FOLDER = join(ROOT, 'node_modules/.cache/causeway-python')
const REQUIREMENTS = join(ROOT, 'test/fixtures/python/requirements.txt')
const STAMP = join(FOLDER, 'requirements.txt')

export const PYTHON = join(FOLDER, 'bin/python')

export function preparePython(): void {
  const requirements = readFileSync(REQUIREMENTS, 'utf8')
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === requirements) return
  rmSync(FOLDER, { recursive: true, force: true })
  run('python3', ['-m', 'venv', FOLDER])
  run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', REQUIREMENTS])
  writeFileSync(STAMP, requirements)
}

function run(program: string, args: readonly string[]): void {
  try {
    execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')} failed: Python 3.10 or newer with venv and pip is needed`, {
      cause: error,
    })
  }
}

if (import.meta.main) preparePython()
