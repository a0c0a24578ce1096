import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { RelayProcess } from '../fixtures/mesh/relay-process.ts'
import { startTwoRelays } from '../fixtures/mesh/two-relays.ts'
import { startFixture } from '../fixtures/process/fixture.ts'
import type { Probe } from './probe.ts'
import { type Slope, slopeOf } from './slope.ts'
import type { Done } from './workload.ts'

export interface SoakOptions {
  readonly perSecond: number
  readonly seconds: number
  /** Of `seconds`, at the beginning: caches fill, code is compiled. Not judged. */
  readonly warmUpSeconds: number
  /** After so many seconds of load each the memory is looked at. */
  readonly everySeconds: number
  /** Lets the relays lose 1 KiB a session. */
  readonly plantLeak?: boolean
  readonly note?: (text: string) => void
}

export interface SoakResult extends Done {
  readonly relays: Readonly<Record<'edge' | 'tools', RelayResult>>
  /** Sessions that the server still has. */
  readonly sessionsLeft: number
}

interface RelayResult {
  /** Heap and external memory together after collection, octets a second, after the warm-up. */
  readonly slope: Slope
  /** Active handles by kind before the load and after it, where they differ by more than one. */
  readonly left: Readonly<Record<string, { readonly before: number; readonly after: number }>>
  /** Gauges of open things that are not back where they were. */
  readonly open: Readonly<Record<string, number>>
}

/** Mixed traffic through two relays, whose memory is looked at again and again. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-soak-'))
  const server = await startFixture<{ url: string }>(new URL('server.ts', import.meta.url))
  const clients = await startFixture<object>(new URL('workload.ts', import.meta.url))
  const execArgv = ['--expose-gc', ...imported('probe.ts'), ...(options.plantLeak ? imported('planted-leak.ts') : [])]
  const mesh = await startTwoRelays({
    backends: { soak: server.info.url },
    logLevel: 'error',
    execArgv,
    env: probeEnv(folder),
  })
  const watched = [new Watched('edge', mesh.edge, folder), new Watched('tools', mesh.tools, folder)] as const
  try {
    const url = mesh.endpoint('soak')
    const run = (seconds: number) =>
      clients.command('run', { url, perSecond: options.perSecond, seconds }) as Promise<Done>
    // So that what stands before the load and what stands after it have the same connections.
    await run(2)
    await setTimeout(IDLE_MS)
    for (const one of watched) await one.begin()
    const done = { calls: 0, sessions: 0, failures: new Set<string>() }
    for (let at = options.everySeconds; at <= options.seconds; at += options.everySeconds) {
      const { calls, sessions, failures } = await run(options.everySeconds)
      done.calls += calls
      done.sessions += sessions
      for (const failure of failures) done.failures.add(failure)
      // What is under way is no leak: each look is taken when nothing is.
      await setTimeout(SETTLE_MS)
      for (const one of watched) await one.sample(at)
      options.note?.(`${at} s: ${watched.map((one) => one.latest).join(', ')}`)
    }
    await setTimeout(IDLE_MS)
    const [edge, tools] = await Promise.all(watched.map((one) => one.end(options.warmUpSeconds)))
    if (edge === undefined || tools === undefined) throw new Error('no relay was watched')
    return {
      ...done,
      failures: [...done.failures],
      relays: { edge, tools },
      sessionsLeft: Number(await server.command('sessions')),
    }
  } finally {
    await mesh.stop()
    await Promise.all([clients.stop(), server.stop()])
    await rm(folder, { recursive: true, force: true })
  }
}

/** Until keep-alive connections to servers are closed (4 s) and every timer of an ended exchange has run. */
const IDLE_MS = 8_000
/** Until the sessions of the last calls have ended at both relays. */
const SETTLE_MS = 500

/** One relay process with the probe in it. */
class Watched {
  readonly #name: string
  readonly #relay: RelayProcess
  readonly #file: string
  readonly #samples: { seconds: number; value: number }[] = []
  #before: Probe | undefined
  #probes = 0

  constructor(name: string, relay: RelayProcess, folder: string) {
    this.#name = name
    this.#relay = relay
    this.#file = join(folder, `${relay.pid}.probe`)
  }

  get latest(): string {
    return `${this.#name} ${((this.#samples.at(-1)?.value ?? 0) / 1_048_576).toFixed(2)} MiB`
  }

  async begin(): Promise<void> {
    this.#before = await this.#probe()
  }

  async sample(seconds: number): Promise<void> {
    const { heapOctets, externalOctets } = await this.#probe()
    this.#samples.push({ seconds, value: heapOctets + externalOctets })
  }

  async end(warmUpSeconds: number): Promise<RelayResult> {
    const { resources: after } = await this.#probe()
    const before = this.#before?.resources ?? {}
    const kinds = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    const left = kinds
      .map((kind) => [kind, { before: before[kind] ?? 0, after: after[kind] ?? 0 }] as const)
      .filter(([, counts]) => counts.after > counts.before + 1)
    return {
      slope: slopeOf(this.#samples.filter(({ seconds }) => seconds > warmUpSeconds)),
      left: Object.fromEntries(left),
      open: await this.#open(),
    }
  }

  async #open(): Promise<Record<string, number>> {
    const { host, port } = this.#relay.addresses.admin ?? { host: '', port: 0 }
    const text = await (await fetch(`http://${host}:${port}/metrics`)).text()
    const gauges = text.matchAll(/^(causeway_(?:exchanges|sessions)_open)\{([^}]*)\} (\d+)/gm)
    const found = [...gauges].map(([, name, labels, value]) => [`${name} ${labels}`, Number(value)] as const)
    return Object.fromEntries(found.filter(([, value]) => value > 0))
  }

  async #probe(): Promise<Probe> {
    this.#probes += 1
    process.kill(this.#relay.pid, 'SIGUSR2')
    for (;;) {
      const lines = await this.#lines()
      const line = lines[this.#probes - 1]
      if (line !== undefined) return JSON.parse(line) as Probe
      await setTimeout(20)
    }
  }

  async #lines(): Promise<string[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '')
    return text.split('\n').slice(0, -1)
  }
}

function imported(script: string): string[] {
  return ['--import', fileURLToPath(new URL(script, import.meta.url))]
}

function probeEnv(folder: string): Record<string, string> {
  return { SOAK_PROBE_FOLDER: folder }
}
