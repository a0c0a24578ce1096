import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { CliHost } from '../../services/cli/host.ts'
import { runProgram } from '../../services/cli/program.ts'

interface CliResult {
  readonly code: number
  readonly out: string
  readonly error: string
}

export interface CliRunner {
  /** A folder of the test's own. */
  readonly folder: string
  /** Writes a file into the folder and answers its path. */
  file(name: string, text: string): string
  /** One command line of `causeway`, of which `KUBECONFIG` is the whole environment. */
  run(kubeconfig: string | undefined, args: readonly string[]): Promise<CliResult>
}

/** Runs commands that neither start relays nor listen. */
export function useCli(): CliRunner {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-cli-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  return {
    folder,
    file(name, text) {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
    async run(kubeconfig, args) {
      let out = ''
      let error = ''
      const refuse = () => Promise.reject(new Error('this command is not expected to do that'))
      const host: CliHost = {
        environment: kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig },
        writeOut: (text) => {
          out += text
        },
        writeError: (text) => {
          error += text
        },
        onStopSignal: () => {},
        onExit: () => {},
        exitNow: () => {},
        loadRelay: refuse,
        connect: refuse,
        machine: {
          platform: 'linux',
          homeFolder: folder,
          workingFolder: folder,
          node: process.execPath,
          connectLauncher: '/opt/causeway/connect/launch.mjs',
        },
      }
      const code = await runProgram(args, host)
      return { code, out, error }
    },
  }
}
