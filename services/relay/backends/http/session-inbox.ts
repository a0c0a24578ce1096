import { CANCELLED_METHOD, type ScannedMessage, sameId } from '@causeway/npamp'
import type { SessionClient } from '../../exchanges/contract.ts'
import type { BackendMessage, ReplyMessage } from './message.ts'
import type { OpenRequest } from './open-request.ts'
import { toldProgress } from './progress-token.ts'
import type { ServerRequests } from './server-requests.ts'
import type { StreamMessages } from './stream-connection.ts'
import type { BackendTelemetry } from './telemetry.ts'

export interface InboxSession {
  readonly client: SessionClient | undefined
  readonly requests: ReadonlySet<OpenRequest>
  readonly serverRequests: ServerRequests
  /** Lets the stream go on that a receiver without room has stopped. */
  resumeStream(): void
}

/** Brings what the backend says on the stream of a session to whom it is for. */
export class SessionInbox implements StreamMessages {
  readonly #session: InboxSession
  readonly #telemetry: BackendTelemetry
  readonly #holdsAll: boolean

  /**
   * @param holdsAll the stream is the only one of its session, as in revision 2024-11-05: what belongs to a call comes on it
   *   as well.
   */
  constructor(session: InboxSession, telemetry: BackendTelemetry, holdsAll: boolean) {
    this.#session = session
    this.#telemetry = telemetry
    this.#holdsAll = holdsAll
  }

  message(message: BackendMessage): 'ok' | 'wait' {
    switch (message.kind) {
      case 'notification':
        return this.#notification(message)
      case 'request':
        this.#session.serverRequests.take(message, (request, sink) => {
          const call = this.#onlyCall
          return call === undefined ? this.#session.client?.request(request, sink) : call.ask(request, sink)
        })
        return 'ok'
      default:
        this.reply(message)
        return 'ok'
    }
  }

  dropped(reason: Parameters<StreamMessages['dropped']>[0]): void {
    this.#telemetry.dropped(reason)
  }

  otherEvent(): void {
    this.#telemetry.dropped('event_type')
  }

  #notification({ octets, message }: Extract<BackendMessage, { kind: 'notification' }>): 'ok' | 'wait' {
    const { client, serverRequests } = this.#session
    if (message.method === CANCELLED_METHOD && serverRequests.cancelBy(octets, message)) return 'ok'
    const call = this.#callOf(message)
    if (call !== undefined) return call.takeNotification(octets)
    if (client !== undefined) return client.notification(octets, () => this.#session.resumeStream())
    this.#telemetry.dropped('no_client')
    return 'ok'
  }

  /** Digest 10 section 6: by its progress token, else the only call there is; never a guess between two. */
  #callOf(message: ScannedMessage): OpenRequest | undefined {
    const progress = this.#holdsAll ? toldProgress(message) : undefined
    if (progress === undefined) return this.#onlyCall
    for (const request of this.#session.requests) if (request.progressKey === progress) return request
    return undefined
  }

  /** A client that has no stream but the answers to its calls hears there what its server asks. */
  get #onlyCall(): OpenRequest | undefined {
    const { requests } = this.#session
    if (!this.#holdsAll || requests.size !== 1) return undefined
    for (const only of requests) return only
    return undefined
  }

  /** Also on a GET stream: a backend that resumes answers where it can (CARRIAGE section 9). */
  reply(message: ReplyMessage): void {
    const { idToken } = message
    for (const request of this.#session.requests) {
      if (idToken === undefined || !sameId(request.idToken, idToken)) continue
      request.takeReply(message)
      return
    }
    this.#telemetry.dropped('unmatched_reply')
  }
}
