import { type AwaitServerAuth, startClient } from '../handshake/client.ts'
import type { ServerConfig } from '../handshake/config.ts'
import type { Established } from '../handshake/established.ts'
import { awaitClientHello } from '../handshake/server.ts'
import type { RawFrame } from '../wire/deframer.ts'
import type { AssociationOptions } from './options.ts'

/** One expected frame of the handshake, whichever role. */
export interface HandshakeStep {
  /** Consumes the step. Throws an NpampError: the handshake failed and its secrets are wiped. */
  receive(frame: RawFrame): HandshakeProgress
  wipe(): void
}

/** `flights` are whole frames to write, in order. */
type HandshakeProgress =
  | { readonly flights: readonly Uint8Array[]; readonly next: HandshakeStep }
  | { readonly flights: readonly Uint8Array[]; readonly established: Established }

/** The initiator's first flight and the first step of either role. Throws as `startClient` and `awaitClientHello` do. */
export function startHandshake(options: AssociationOptions): { flights: readonly Uint8Array[]; next: HandshakeStep } {
  if (options.role === 'responder') return { flights: [], next: expectClientHello(options.handshake) }
  const { flight, next: state } = startClient(options.handshake)
  const next: HandshakeStep = {
    receive: (frame) => ({ flights: [], next: expectServerAuth(state.receive(frame)) }),
    wipe: () => state.wipe(),
  }
  return { flights: [flight], next }
}

function expectServerAuth(state: AwaitServerAuth): HandshakeStep {
  return {
    receive: (frame) => {
      const { flight, established } = state.receive(frame)
      return { flights: [flight], established }
    },
    wipe: () => state.wipe(),
  }
}

function expectClientHello(config: ServerConfig): HandshakeStep {
  const state = awaitClientHello(config)
  return {
    receive: (frame) => {
      const { flights, next } = state.receive(frame)
      const clientAuth: HandshakeStep = {
        receive: (auth) => ({ flights: [], established: next.receive(auth).established }),
        wipe: () => next.wipe(),
      }
      return { flights, next: clientAuth }
    },
    wipe: () => state.wipe(),
  }
}
