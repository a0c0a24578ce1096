import { CANCELLED_METHOD, sameId } from '@causeway/npamp'
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
  readonly #holdsProgress: boolean

  /**
   * @param holdsProgress the stream is the only one of its session, as in revision 2024-11-05: progress on it belongs to the
   *   call that wants it.
   */
  constructor(session: InboxSession, telemetry: BackendTelemetry, holdsProgress: boolean) {
    this.#session = session
    this.#telemetry = telemetry
    this.#holdsProgress = holdsProgress
  }

  message(message: BackendMessage): 'ok' | 'wait' {
    switch (message.kind) {
      case 'notification':
        return this.#notification(message)
      case 'request':
        this.#session.serverRequests.take(message, (request, sink) => this.#session.client?.request(request, sink))
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
    const progress = this.#holdsProgress ? toldProgress(message) : undefined
    if (progress !== undefined) {
      for (const request of this.#session.requests) {
        if (request.progressKey === progress) return request.takeNotification(octets)
      }
    }
    if (client !== undefined) return client.notification(octets, () => this.#session.resumeStream())
    this.#telemetry.dropped('no_client')
    return 'ok'
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
