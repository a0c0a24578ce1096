import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** Whoever has no certificate. */
export const ANONYMOUS = 'anonymous'

/**
 * Who calls, until routes authenticate: the subject of the client's certificate, which the listener's authority has signed,
 * its parts from the most general to the most special as RFC 4514 writes them.
 */
export class Principals {
  /** A connection has one certificate and many requests. */
  readonly #known = new WeakMap<Socket, string>()

  of({ socket }: IncomingMessage): string {
    if (!(socket instanceof TLSSocket) || !socket.authorized) return ANONYMOUS
    const known = this.#known.get(socket)
    if (known !== undefined) return known
    const subject = subjectOf(socket)
    this.#known.set(socket, subject)
    return subject
  }
}

function subjectOf(socket: TLSSocket): string {
  // Node names it in lines, the most general part first.
  const lines = socket.getPeerX509Certificate()?.subject.split('\n') ?? []
  const parts = lines.filter((line) => line !== '').map(escaped)
  return parts.length === 0 ? ANONYMOUS : parts.reverse().join(',')
}

function escaped(part: string): string {
  return part.replace(/[,\\+"<>;]/g, (character) => `\\${character}`)
}
