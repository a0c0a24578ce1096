import { create } from '@bufbuild/protobuf'
import type { Clock } from '@causeway/npamp/transports'
import { type ConfigChannel, DeltaErrorCode, HelloSchema, RpcError } from '@causeway/rpc'
import type { ConfigStore } from '../config-store/config-store.ts'
import { ConfigSession } from './config-session.ts'
import type { InstanceName } from './contract.ts'

export interface AttemptOptions {
  readonly channel: ConfigChannel
  readonly instance: InstanceName
  readonly store: ConfigStore
  readonly clock: Clock
  /** How long the first Delta may take, in milliseconds. */
  readonly limitMs: number
  /** The stream that goes on until the new one has its first Delta. */
  readonly beside?: ConfigSession
  readonly onDelta: (error: DeltaErrorCode | undefined) => void
  /** The stream exists: status may be sent on it. */
  readonly onOpened: (session: OpenSession) => void
}

/** A stream whose first Delta was taken. */
export interface OpenSession {
  readonly session: ConfigSession
  /** Resolves when the control plane asks for another stream. */
  readonly reconnect: Promise<void>
}

/**
 * How long a control plane that said something older than what is held has to say something newer: it lists anew meanwhile
 * (CONTROL section 3). Then the next one is asked.
 */
const STALE_LIMIT_MS = 5_000

/**
 * Opens a stream and waits for its first Delta. Rejects with RpcError when there is none that can be taken. 'outdated': the
 * stream beside it took something meanwhile, of which the Hello says nothing.
 */
export function attempt(options: AttemptOptions): Promise<OpenSession | 'outdated'> {
  const { channel, instance, store, clock, limitMs, onDelta, onOpened } = options
  let { beside } = options
  return new Promise((resolve, reject) => {
    let timer: unknown
    let askToReconnect: () => void = () => {}
    const reconnect = new Promise<void>((ask) => {
      askToReconnect = ask
    })
    const over = (settle: () => void): void => {
      clock.clearTimeout(timer)
      session.cancel()
      // A Delta that it was just taking is part of what the next Hello says.
      void session.closed.then(() => {
        beside?.resume()
        settle()
      })
    }
    const failed = (error: RpcError): void => over(() => reject(error))
    const failAfter = (ms: number, error: RpcError): void => {
      clock.clearTimeout(timer)
      timer = clock.setTimeout(() => failed(error), ms)
    }
    let isTaken = false
    const answered = (error: DeltaErrorCode | undefined): void => {
      onDelta(error)
      if (isTaken) return
      if (error === undefined) {
        isTaken = true
        // Nothing keeps the one before any longer: streams follow one another for as long as the process lives.
        beside = undefined
        clock.clearTimeout(timer)
        resolve({ session, reconnect })
        return
      }
      beside?.resume()
      if (error === DeltaErrorCode.STALE_SOURCE) failAfter(STALE_LIMIT_MS, stale(channel.target))
    }
    const told = beside?.taken
    const session = new ConfigSession({
      channel,
      hello: create(HelloSchema, { ...store.hello(), ...instance }),
      store,
      events: { onDelta: answered, onReconnect: () => askToReconnect() },
      mayTake: async () => {
        if (isTaken || beside === undefined) return true
        // One of them at a time: what the other takes from here on would be missing in what this one brings.
        await beside.pause()
        if (beside.taken === told) return true
        over(() => resolve('outdated'))
        return false
      },
    })
    onOpened({ session, reconnect })
    failAfter(
      limitMs,
      new RpcError('DEADLINE_EXCEEDED', `${channel.target} sent no configuration within ${limitMs} ms`),
    )
    void session.closed.then((end) => failed(end ?? new RpcError('UNAVAILABLE', `${channel.target} ended the stream`)))
  })
}

function stale(target: string): RpcError {
  return new RpcError('FAILED_PRECONDITION', `${target} knows only an older configuration than the one that is held`)
}
