import { mkdir, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'

/** Two processes on one folder would each write over what the other wrote. */
export class StateLockedError extends Error {
  constructor(path: string) {
    super(`another process uses ${path}`)
    this.name = 'StateLockedError'
  }
}

/** Held until it is released, or its process ends in whatever way. */
export interface StateLock {
  release(): Promise<void>
}

/**
 * Locks a folder for this process. The lock is an address that one process can listen on: the system frees it with the
 * process, where a file with a process id would be left behind (and in a container every process is number 1). Rejects with
 * StateLockedError.
 */
export async function lockState(path: string): Promise<StateLock> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const { dev, ino } = await stat(path, { bigint: true })
  if (process.platform === 'linux') return await hold(path, `\0causeway-state-${dev}-${ino}`)
  if (process.platform === 'win32') return await hold(path, `\\\\.\\pipe\\causeway-state-${dev}-${ino}`)
  return await holdFile(path, join(path, 'lock'))
}

/** Elsewhere an address is a file, which outlives its process: nobody answers there then. */
async function holdFile(path: string, address: string): Promise<StateLock> {
  if (await answers(address)) throw new StateLockedError(path)
  await rm(address, { force: true })
  return await hold(path, address)
}

function hold(path: string, address: string): Promise<StateLock> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new StateLockedError(path) : error)
    })
    server.listen(address, () => {
      server.unref()
      resolve({ release: () => close(server) })
    })
  })
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
