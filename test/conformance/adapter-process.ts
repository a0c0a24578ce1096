import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Answer } from './corpus.ts'

/** The adapter as a child process: u32 little-endian length, then JSON, both ways; one request at a time. */
export interface AdapterProcess {
  ask(op: string, input: unknown): Promise<Answer>
  close(): void
}

export function startAdapter(): AdapterProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL('adapter.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let received = Buffer.alloc(0)
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined

  child.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    if (received.length < 4 || received.length < 4 + received.readUInt32LE(0)) return
    const end = 4 + received.readUInt32LE(0)
    const answer = JSON.parse(received.toString('utf8', 4, end)) as Answer
    received = received.subarray(end)
    waiting?.resolve(answer)
    waiting = undefined
  })
  child.on('exit', (code) => waiting?.reject(new Error(`the adapter ended with code ${code}`)))

  return {
    ask(op, input) {
      const body = Buffer.from(JSON.stringify({ op, in: input }))
      const length = Buffer.alloc(4)
      length.writeUInt32LE(body.length)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        child.stdin.write(Buffer.concat([length, body]))
      })
    },
    close: () => child.stdin.end(),
  }
}
