import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Folder of the checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Step {
  readonly name: string
  /** Program from `node_modules/.bin`, then its arguments. */
  readonly command: readonly [string, ...string[]]
}

export interface StepResult {
  readonly name: string
  readonly ok: boolean
  readonly seconds: number
}

/** What every change must pass before its tests are worth running. */
export const STATIC_STEPS: readonly Step[] = [
  { name: 'types', command: ['tsc', '--noEmit', '-p', 'tsconfig.json'] },
  { name: 'lint', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'dead code', command: ['knip'] },
  {
    name: 'dependency rules',
    command: ['depcruise', '--config', '.dependency-cruiser.mjs', 'services', 'operator', 'test', 'examples'],
  },
]

/** Runs one step in the checkout with its output shown; resolves whatever its exit code. */
export function runStep(step: Step): Promise<StepResult> {
  const [program, ...args] = step.command
  const started = performance.now()
  console.log(`\n== ${step.name}: ${step.command.join(' ')}`)
  return new Promise((resolve) => {
    const done = (ok: boolean) => resolve({ name: step.name, ok, seconds: (performance.now() - started) / 1000 })
    const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', env: withLocalBin(process.env) })
    child.on('error', (error) => {
      console.error(`${program}: ${error.message}`)
      done(false)
    })
    child.on('exit', (code) => done(code === 0))
  })
}

/** The environment with the checkout's own programs (Node 24 among them) in front. */
export function withLocalBin(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PATH: `${ROOT}/node_modules/.bin:${env.PATH ?? ''}` }
}

export function printSummary(results: readonly StepResult[]): void {
  console.log('')
  for (const result of results) {
    console.log(`${result.ok ? 'ok    ' : 'FAILED'} ${result.name.padEnd(20)} ${result.seconds.toFixed(1)} s`)
  }
}
