import { Agent, request } from 'node:https'
import { KINDS, type KindName } from '@causeway/mesh-api'
import { parse } from 'yaml'

/** What an API server says of an object: what it would store, or the fields that it refuses and why. */
export type Answer =
  | { readonly accepted: unknown }
  | { readonly refused: readonly { readonly field: string; readonly message: string }[] }

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string }
  }[]
  readonly users: readonly {
    readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string }
  }[]
}

/** Creates objects in the namespace `default` of an API server, as dry runs, over connections that are kept. */
export class DryRuns {
  readonly #agent: Agent
  readonly #server: string

  constructor(kubeconfigText: string, connections: number) {
    const { clusters, users } = parse(kubeconfigText) as Kubeconfig
    const [cluster, user] = [clusters[0]?.cluster, users[0]?.user]
    if (cluster === undefined || user === undefined) throw new TypeError('no kubeconfig of an administrator')
    this.#server = cluster.server
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: connections,
      ca: decoded(cluster['certificate-authority-data']),
      cert: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    })
  }

  async create(kind: KindName, object: unknown): Promise<Answer> {
    const { status, body } = await this.#post(kind, JSON.stringify(object))
    if (status === 201) return { accepted: (body as { spec?: unknown }).spec }
    return { refused: refusals(status, body as Status) }
  }

  close(): void {
    this.#agent.destroy()
  }

  #post(kind: KindName, body: string): Promise<{ status: number; body: unknown }> {
    const path = `/apis/mesh.causeway.dev/v1alpha1/namespaces/default/${KINDS[kind].plural}`
    const url = new URL(`${path}?dryRun=All&fieldValidation=Strict`, this.#server)
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const outgoing = request(url, { method: 'POST', agent: this.#agent, headers }, async (response) => {
        try {
          const pieces: Buffer[] = []
          for await (const piece of response) pieces.push(piece as Buffer)
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(pieces).toString()) })
        } catch (error) {
          reject(error)
        }
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }
}

interface Status {
  readonly message?: string
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] }
}

/** Says that it did not look at the rules; about no field. */
const UNCHECKED = '<nil>'

function refusals(status: number, { message = '', details }: Status): { field: string; message: string }[] {
  if (status === 400) {
    const unknown = [...message.matchAll(/unknown field "([^"]+)"/g)]
    if (unknown.length > 0) return unknown.map(([text, field = '']) => ({ field, message: text }))
  }
  if (status !== 422) throw new Error(`an answer that nobody expects: ${status} ${message}`)
  return (details?.causes ?? [])
    .map(({ field = '', message: text = '' }) => ({ field, message: text }))
    .filter(({ field }) => field !== UNCHECKED)
}

function decoded(base64: string): Buffer {
  return Buffer.from(base64, 'base64')
}
