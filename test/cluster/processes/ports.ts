import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the range from which the kernel takes the ports of outgoing connections and of listeners on port 0: a port that
// was free stays free while a server restarts on it.
const FIRST = 20_000
const LAST = 32_000

/** A port of the loopback interface on which nobody listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
