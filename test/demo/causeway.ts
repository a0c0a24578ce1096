import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The command under demonstration, run from its sources as `causeway` would run. */
const CAUSEWAY = new URL('../../services/cli/launch.mjs', import.meta.url).pathname

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
