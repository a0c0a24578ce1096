import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ROOT } from '../tools/step.ts'

/** A published program of `node_modules/.bin`. */
export function published(name: string): string {
  return join(ROOT, 'node_modules/.bin', name)
}

export interface Program {
  readonly port: number
  stop(): Promise<void>
}

/**
 * Starts a program that is told its port, by its arguments or by PORT, and waits until it listens
 * there. Its children end with it.
 */
export async function startProgram(name: string, args: (port: number) => readonly string[]): Promise<Program> {
  const port = await freePort()
  const child = spawn(published(name), args(port), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PORT: String(port) },
    detached: true,
  })
  const complaints: Buffer[] = []
  child.stderr?.on('data', (piece: Buffer) => complaints.push(piece))
  const ended = once(child, 'exit')
  const early = ended.then(() => {
    throw new Error(`${name} ended before it listened: ${Buffer.concat(complaints).toString()}`)
  })
  early.catch(() => {}) // once it listens, that it ends is no fault
  await Promise.race([listening(port), early])
  return {
    port,
    async stop() {
      endGroup(child)
      await ended
    },
  }
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, 'SIGKILL')
}

async function listening(port: number): Promise<void> {
  while (!(await answers(port))) await setTimeout(50)
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost' })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
