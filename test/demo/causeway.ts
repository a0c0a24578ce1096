import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** The command under demonstration, run from its sources as `causeway` would run. */
const CAUSEWAY = new URL('../../services/cli/causeway.ts', import.meta.url).pathname

/** Runs one command to its end and answers what it printed as JSON. */
export async function causeway(...args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, [CAUSEWAY, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: Buffer[] = []
  const complaints: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => printed.push(piece))
  child.stderr.on('data', (piece: Buffer) => complaints.push(piece))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`causeway ${args.join(' ')} ended with ${code}: ${Buffer.concat(complaints)}`)
  return JSON.parse(Buffer.concat(printed).toString())
}

export interface RelayProcess {
  readonly name: string
  readonly pid: number
  readonly peerHandle: string
  readonly addresses: RelayAddresses
  /** What it logged so far. */
  readonly log: readonly LogLine[]
  /** The first log line, past or to come, with this message. */
  logged(message: string): Promise<LogLine>
}

export interface RelayAddresses {
  readonly npamp?: { readonly host: string; readonly port: number }
  readonly mcp?: { readonly host: string; readonly port: number }
  readonly admin?: { readonly host: string; readonly port: number }
}

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string }

/**
 * `causeway up FILE --relay NAME` as a process of its own. Rejects with what it complained about when it does not start.
 *
 * @param onStop is told how to stop the process before it is ready, so that it is never left behind.
 */
export async function startRelayProcess(
  name: string,
  file: string,
  onStop: (stop: () => Promise<unknown>) => void,
): Promise<RelayProcess> {
  const child = spawn(process.execPath, [CAUSEWAY, 'up', file, '--relay', name, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  onStop(() => {
    child.kill('SIGTERM')
    return ended
  })
  const log: LogLine[] = []
  const watchers = new Set<() => void>()
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line.startsWith('{') ? (JSON.parse(line) as LogLine) : { msg: line })
    for (const watcher of watchers) watcher()
  })

  const started = new Promise<StartedEvent>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = JSON.parse(line) as StartedEvent
      if (event.event === 'started') resolve(event)
    })
  })
  const gone = ended.then((code) => {
    throw new Error(`relay ${name} ended with ${code}:\n${log.map(({ msg }) => msg).join('\n')}`)
  })
  gone.catch(() => {})
  const { peerHandle, addresses } = await Promise.race([started, gone])

  return {
    name,
    pid: child.pid ?? 0,
    peerHandle,
    addresses,
    log,
    logged(message) {
      const found = new Promise<LogLine>((resolve) => {
        const look = () => {
          const line = log.find(({ msg }) => msg === message)
          if (line === undefined) return
          watchers.delete(look)
          resolve(line)
        }
        watchers.add(look)
        look()
      })
      return Promise.race([found, gone])
    },
  }
}

interface StartedEvent {
  readonly event: string
  readonly peerHandle: string
  readonly addresses: RelayAddresses
}
