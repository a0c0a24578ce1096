import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { ApiClient } from '../api/client.ts'
import type { LocalPod } from './local-pod.ts'

interface ServiceObject {
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>
    readonly ports: readonly { readonly port: number; readonly targetPort?: number | string }[]
  }
}

/** What kube-proxy does: each port of a Service leads to one of its ready pods. */
export class ServiceWays {
  /** Which of the ready pods may be chosen; a test says so by replacing it. */
  choose: (pods: readonly LocalPod[]) => LocalPod | undefined = (pods) => pods[Math.floor(Math.random() * pods.length)]
  readonly #client: ApiClient
  readonly #pods: () => Iterable<LocalPod>
  readonly #ways = new Map<string, Promise<Server>>()
  readonly #services = new Map<string, ServiceObject>()
  readonly #open = new Set<Socket>()

  constructor(client: ApiClient, pods: () => Iterable<LocalPod>) {
    this.#client = client
    this.#pods = pods
  }

  /** `host:port` at which a port of a Service is reached. */
  async addressOf(namespace: string, name: string, port: number): Promise<string> {
    const key = `${namespace}/${name}:${port}`
    const way = this.#ways.get(key) ?? this.#listen(namespace, name, port)
    this.#ways.set(key, way)
    return `127.0.0.1:${((await way).address() as AddressInfo).port}`
  }

  /** Breaks every connection through a Service. */
  cut(): void {
    for (const socket of this.#open) socket.destroy()
  }

  async stop(): Promise<void> {
    const servers = await Promise.all(this.#ways.values())
    this.cut()
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }

  async #listen(namespace: string, name: string, port: number): Promise<Server> {
    const server = createServer((inbound) => {
      this.#keep(inbound)
      void this.#pass(inbound, namespace, name, port).catch(() => inbound.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  async #pass(inbound: Socket, namespace: string, name: string, port: number): Promise<void> {
    const { spec } = await this.#service(`/api/v1/namespaces/${namespace}/services/${name}`)
    const target = spec.ports.find((one) => one.port === port)
    const selected = Object.entries(spec.selector ?? {})
    const ready = [...this.#pods()].filter(
      (pod) =>
        pod.isReady && pod.namespace === namespace && selected.every(([label, value]) => pod.labels[label] === value),
    )
    const pod = this.choose(ready)
    if (pod === undefined || target === undefined) throw new Error(`nobody ready behind ${namespace}/${name}`)
    const outbound = connect(pod.portOf(target.targetPort ?? port), '127.0.0.1')
    this.#keep(outbound)
    inbound.once('close', () => outbound.destroy())
    outbound.once('close', () => inbound.destroy())
    inbound.pipe(outbound)
    outbound.pipe(inbound)
  }

  /** Kept, so that what is open to others does not depend on the API server. */
  async #service(path: string): Promise<ServiceObject> {
    const service = this.#services.get(path) ?? ((await this.#client.send({ path })) as ServiceObject)
    this.#services.set(path, service)
    return service
  }

  #keep(socket: Socket): void {
    this.#open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#open.delete(socket))
  }
}
