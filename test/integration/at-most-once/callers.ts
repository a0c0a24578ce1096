import { type AnyClient, legacyClient, modernClient, PIN_MODERN } from '../clients.ts'
import type { Caller, RunArguments } from './caller.ts'
import { type Ending, endingOf, errorEnding } from './ending.ts'
import { RawCaller } from './raw-caller.ts'

/** Both generations of the published client, and both eras by plain HTTP; connected. */
export function callersOf(url: string): Promise<Caller[]> {
  return Promise.all([
    SdkCaller.connect('legacy', () => legacyClient(url)),
    SdkCaller.connect('modern', () => modernClient(url, PIN_MODERN)),
    RawCaller.connect('legacy', url),
    RawCaller.connect('modern', url),
  ])
}

/** Long enough for every limit of the relays; a client that gives up by itself has found a hang. */
const CLIENT_TIMEOUT_MS = 60_000

class SdkCaller implements Caller {
  readonly era: Caller['era']
  readonly #connect: () => Promise<AnyClient>
  #client: AnyClient

  static async connect(era: Caller['era'], connect: () => Promise<AnyClient>): Promise<Caller> {
    return new SdkCaller(era, connect, await connect())
  }

  private constructor(era: Caller['era'], connect: () => Promise<AnyClient>, client: AnyClient) {
    this.era = era
    this.#connect = connect
    this.#client = client
  }

  get name(): string {
    return `${this.era} SDK`
  }

  async run(args: RunArguments): Promise<Ending> {
    const call = { name: 'run', arguments: { ...args } }
    const options = { timeout: CLIENT_TIMEOUT_MS }
    try {
      // The two generations differ in where their options stand.
      const answer = (await ('getNegotiatedProtocolVersion' in this.#client
        ? this.#client.callTool(call, options)
        : this.#client.callTool(call, undefined, options))) as { content?: readonly { text?: string }[] }
      return { how: 'answer', text: answer.content?.[0]?.text ?? '' }
    } catch (error) {
      return endingOfError(error)
    }
  }

  async reconnect(): Promise<void> {
    await this.close()
    this.#client = await this.#connect()
  }

  async close(): Promise<void> {
    await this.#client.close()
  }
}

/** What the SDKs throw, by its form: their classes differ from generation to generation. */
function endingOfError(thrown: unknown): Ending {
  const error = thrown as Error & { code?: unknown; data?: { readonly status?: number; readonly text?: string } }
  if (typeof error.code === 'number' && error.code < 0)
    return errorEnding(undefined, { ...error, message: error.message } as never)
  // An HTTP error: the older generation has the status as code and the body in the message.
  const status = typeof error.code === 'number' ? error.code : error.data?.status
  const body = error.data?.text ?? /\{.*\}/s.exec(error.message)?.[0]
  if (status !== undefined && body !== undefined) return endingOf(status, body)
  if (error instanceof TypeError) return { how: 'broken' }
  throw thrown
}
