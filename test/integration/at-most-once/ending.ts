/** How a call ended for the client that made it. */
export type Ending =
  | { readonly how: 'answer'; readonly text: string }
  /** One JSON-RPC error. The last three only where the edge says them: it is its own error then. */
  | {
      readonly how: 'error'
      readonly status: number | undefined
      readonly code: number | undefined
      readonly message: string
      readonly name?: string | undefined
      readonly delivery?: string | undefined
    }
  /** No connection, or it ended without an answer. */
  | { readonly how: 'broken' }

interface ErrorObject {
  readonly code?: number
  readonly message?: string
  readonly data?: { readonly causeway?: { readonly code?: string; readonly delivery?: string } }
}

export function errorEnding(status: number | undefined, error: ErrorObject): Ending {
  const { code, message = '', data } = error
  return { how: 'error', status, code, message, name: data?.causeway?.code, delivery: data?.causeway?.delivery }
}

/** The ending that the answer to a POST holds: its JSON text, or the last one of its stream. */
export function endingOf(status: number, jsonText: string): Ending {
  const message = JSON.parse(jsonText) as {
    readonly result?: { readonly content?: readonly { readonly text?: string }[] }
    readonly error?: ErrorObject
  }
  if (message.error !== undefined) return errorEnding(status, message.error)
  return { how: 'answer', text: message.result?.content?.[0]?.text ?? '' }
}
