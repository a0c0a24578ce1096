import type { IncomingMessage } from 'node:http'
import { KubeError } from './kube-error.ts'

/**
 * Reads a whole body as JSON.
 * @throws {KubeError} `TooLarge` above `maxOctets`, `BadResponse` when it is no JSON, `Unreachable` when it is cut off
 */
export async function readJson(response: IncomingMessage, maxOctets: number, what: string): Promise<unknown> {
  const chunks: Buffer[] = []
  let octets = 0
  for await (const chunk of chunksOf(response, what)) {
    octets += chunk.length
    if (octets > maxOctets) {
      response.destroy()
      throw new KubeError('TooLarge', `${what}: the answer has more than ${maxOctets} octets`)
    }
    chunks.push(chunk)
  }
  return parseJson(Buffer.concat(chunks), what)
}

/** @throws {KubeError} `BadResponse` */
export function parseJson(octets: Buffer, what: string): unknown {
  try {
    return JSON.parse(octets.toString('utf8'))
  } catch (error) {
    throw new KubeError('BadResponse', `${what}: the answer is no JSON`, { cause: error })
  }
}

/**
 * The body as it arrives.
 * @throws {KubeError} `Unreachable` when the connection ends before the body does
 */
export async function* chunksOf(response: IncomingMessage, what: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response) yield chunk as Buffer
  } catch (error) {
    if (error instanceof KubeError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new KubeError('Unreachable', `${what}: the answer was cut off: ${reason}`, { cause: error })
  }
}
