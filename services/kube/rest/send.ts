import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Connection } from '../connection/contract.ts'
import { KubeError } from './kube-error.ts'
import { readJson } from './read-json.ts'
import { errorOfStatus } from './status.ts'

export interface SendRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, e.g. `/api/v1/namespaces/x/secrets?limit=500`. */
  readonly path: string
  readonly accept?: string
  readonly body?: { readonly contentType: string; readonly value: unknown }
  /** The request in words, for errors: `get secrets team-a/x`. */
  readonly what: string
  readonly signal: AbortSignal
}

/** An error answer longer than this is not read further. */
const MAX_ERROR_OCTETS = 256 * 1_024

/**
 * Sends one request and resolves with an answer of 2xx whose body the caller reads.
 * @throws {KubeError} the API server's refusal, or `Unreachable`; when `signal` is aborted, whatever the transport says
 */
export async function send(connection: Connection, request: SendRequest): Promise<IncomingMessage> {
  const response = await sendOnce(connection, request).catch((error: unknown) => {
    // The server closed a kept connection in the moment in which we used it: only what changes nothing is sent again.
    if (error instanceof ClosedBeforeAnswer && request.method === 'GET') return sendOnce(connection, request)
    throw error
  })
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return response
  const body = await readJson(response, MAX_ERROR_OCTETS, request.what).catch(() => undefined)
  throw errorOfStatus(request.what, status, body, response.headers['retry-after'])
}

class ClosedBeforeAnswer extends KubeError {}

async function sendOnce(connection: Connection, request: SendRequest): Promise<IncomingMessage> {
  const { serverUrl } = connection
  const options = await untilAborted(connection.requestOptions(), request.signal)
  const text = request.body === undefined ? undefined : JSON.stringify(request.body.value)
  const send = serverUrl.protocol === 'http:' ? requestPlain : requestTls
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = send({
      ...options,
      protocol: serverUrl.protocol,
      hostname: serverUrl.hostname.replace(/^\[|\]$/g, ''),
      port: serverUrl.port === '' ? undefined : serverUrl.port,
      method: request.method,
      path: `${serverUrl.pathname.replace(/\/$/, '')}${request.path}`,
      signal: request.signal,
      headers: {
        ...(options.headers as Record<string, string> | undefined),
        accept: request.accept ?? 'application/json',
        'user-agent': 'causeway',
        ...(request.body === undefined || text === undefined
          ? {}
          : { 'content-type': request.body.contentType, 'content-length': Buffer.byteLength(text) }),
      },
    })
    outgoing.on('response', resolve)
    outgoing.on('error', (error) => {
      const Failure = outgoing.reusedSocket ? ClosedBeforeAnswer : KubeError
      reject(new Failure('Unreachable', `${request.what}: ${reasonOf(error)}`, { cause: error }))
    })
    outgoing.end(text)
  })
}

/** Credentials may come from a program that hangs. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason)
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted))
  })
}

/** An error of a connection attempt to several addresses has its reasons inside. */
function reasonOf(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message
  return error.errors.map((one) => (one instanceof Error ? one.message : String(one))).join('; ')
}
