import {
  eventsOf,
  type Header,
  type HttpExchange,
  headerValue,
  type SseEvent,
} from '../../fixtures/recorder/http-transcript.ts'

/** One exchange as people compare it: what it was about, and every fact of its two messages by name. */
export interface View {
  /** The HTTP method, what the body says, and which one of those it is: `POST tools/call #2`. */
  readonly about: string
  readonly facts: ReadonlyMap<string, string>
}

/** `sessions`: session ids differ from run to run, so each is shown as the how-manieth it is. */
export function viewsOf(exchanges: readonly HttpExchange[]): View[] {
  const sessions = new Map<string, string>()
  const seen = new Map<string, number>()
  return exchanges.map((exchange) => {
    const subject = `${exchange.method} ${subjectOf(exchange.body)}`.trim()
    const count = (seen.get(subject) ?? 0) + 1
    seen.set(subject, count)
    return { about: `${subject} #${count}`, facts: factsOf(exchange, sessions) }
  })
}

function factsOf(exchange: HttpExchange, sessions: Map<string, string>): Map<string, string> {
  const facts = new Map<string, string>()
  facts.set('path', new URL(exchange.path, 'http://x').pathname)
  for (const [name, value] of named(exchange.headers, sessions)) facts.set(`request header ${name}`, value)
  facts.set('request body', exchange.body.toString())
  facts.set('status', String(exchange.status))
  facts.set('whole', String(exchange.whole))
  for (const [name, value] of named(exchange.responseHeaders, sessions)) facts.set(`response header ${name}`, value)
  for (const [name, value] of contentOf(exchange)) facts.set(name, value)
  return facts
}

/** The JSON-RPC texts apart from what they came in: `text 1`, `text 2`, and of a stream what its events have beside data. */
function contentOf({ responseHeaders, responseBody }: HttpExchange): (readonly [string, string])[] {
  if (!headerValue(responseHeaders, 'content-type')?.startsWith('text/event-stream')) {
    return responseBody.length === 0 ? [] : [['text 1', responseBody.toString()]]
  }
  const events = eventsOf(responseBody)
  const texts = events.map(dataOf).filter((text) => text !== '')
  const values = (name: string) => {
    const all = events.flat().filter(([field]) => field === name)
    return all.length === 0 ? 'none' : [...new Set(all.map(([, value]) => value))].join(' ')
  }
  return [
    ...texts.map((text, at) => [`text ${at + 1}`, text] as const),
    ['event ids', values('id') === 'none' ? 'none' : 'some'],
    ['event names', values('event')],
    ['retry', values('retry')],
    ['comments', values('') === 'none' ? 'none' : 'some'],
  ]
}

function dataOf(event: SseEvent): string {
  const lines = event.filter(([field]) => field === 'data').map(([, value]) => value)
  return lines.join('\n')
}

function named(headers: readonly Header[], sessions: Map<string, string>): Header[] {
  return headers.map(([name, value]) => {
    // It passes from one second to the next, in whichever run.
    if (name === 'date' && !Number.isNaN(Date.parse(value))) return [name, 'a date']
    if (name !== 'mcp-session-id') return [name, value]
    const known = sessions.get(value) ?? `session ${sessions.size + 1}`
    sessions.set(value, known)
    return [name, known]
  })
}

/** Only to name the exchange. */
function subjectOf(body: Buffer): string {
  if (body.length === 0) return ''
  const message = JSON.parse(body.toString()) as { method?: string; id?: unknown } | unknown[]
  if (Array.isArray(message)) return 'batch'
  return message.method ?? `response ${JSON.stringify(message.id)}`
}
