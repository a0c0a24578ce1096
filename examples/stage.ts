/** What the examples stand on: a folder of keys, relays started as `causeway up` does it, and scripts beside them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createIdentityFile } from '@causeway/npamp/crypto/node'

const CAUSEWAY = fileURLToPath(new URL('../services/cli/launch.mjs', import.meta.url))

/** What a relay says when it has started. */
interface StartedRelay {
  readonly peerHandle: string
  readonly addresses: Readonly<Record<'npamp' | 'mcp', { readonly host: string; readonly port: number }>>
}

class Stage {
  readonly #folder: string
  readonly #children: ChildProcess[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** `causeway keys generate` does the same. */
  async identity(name: string): Promise<{ readonly keyFile: string; readonly handle: string }> {
    const keyFile = join(this.#folder, `${name}.key`)
    return { keyFile, handle: (await createIdentityFile(keyFile)).peerHandle }
  }

  /** `causeway up NAME.yaml`; its key is made where none is there yet. */
  async relay(name: string, yaml: string): Promise<StartedRelay> {
    await this.identity(name).catch(() => {})
    const file = join(this.#folder, `${name}.yaml`)
    await writeFile(file, yaml)
    const started = await this.start(CAUSEWAY, 'up', file, '--json', '--log-level', 'error')
    return JSON.parse(started) as StartedRelay
  }

  /** A script that goes on; resolves with its first line. */
  async start(script: string, ...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#children.push(child)
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended before it was ready`)))
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
    return String(line)
  }

  /** A script that ends by itself. */
  async node(script: string, ...args: string[]): Promise<void> {
    const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' })
    this.#children.push(child)
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${script} ended with ${code}`)
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Runs an example and leaves nothing behind. */
export async function withStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = new Stage(await mkdtemp(join(tmpdir(), 'causeway-example-')))
  try {
    await play(stage)
  } finally {
    await stage.stop()
  }
}
