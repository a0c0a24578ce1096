import { randomBytes } from 'node:crypto'
import os from 'node:os'
import { type Clock, systemClock } from '@causeway/npamp/transports'
import { type Admin, type Logger, type Metrics, type Readiness, startAdmin } from '@causeway/telemetry'
import type { McpTlsConfig, McpTlsMaterial, RelayConfig, RouteConfig } from './config/relay-config.ts'
import { TlsWatch } from './config/tls-watch.ts'
import { type RelayAddresses, RelayStartError, type RunningRelay } from './contract.ts'
import { edgeLimits, edgeRoute } from './edge-options.ts'
import type { McpEdge, McpListener } from './edges/mcp/contract.ts'
import { createMcpEdge } from './edges/mcp/edge.ts'
import type { CallTarget } from './exchanges/contract.ts'
import type { ToolFacts } from './exchanges/tool-facts.ts'
import { Labels } from './labels/labels.ts'
import { LocalBackends } from './local/local-backends.ts'
import type { OwnIdentity } from './mesh/association-factory.ts'
import { Mesh } from './mesh/mesh.ts'
import { atMost } from './pacing/at-most.ts'
import { buildRouteTable, RouteError } from './router/route-table.ts'

export interface OpenRelayOptions {
  readonly config: RelayConfig
  /** What stdio servers inherit by name. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly identity: OwnIdentity & { readonly peerHandle: string }
  readonly logger: Logger
  readonly metrics: Metrics
  readonly clock?: Clock
}

/** How long peers may take to answer a CLOSE when a relay stops. */
const PEERS_LIMIT_MS = 2_000

/** Builds the rooms of one relay, connects them and opens its listeners. */
export async function openRelay(options: OpenRelayOptions): Promise<RunningRelay> {
  const relay = new OpenRelay(options)
  try {
    await relay.listen()
  } catch (error) {
    await relay.stop()
    throw error
  }
  return relay
}

class OpenRelay implements RunningRelay {
  readonly name: string
  readonly peerHandle: string
  readonly metrics: Metrics
  readonly #options: OpenRelayOptions
  readonly #clock: Clock
  readonly #backends: LocalBackends
  readonly #mesh: Mesh
  #edge: McpEdge | undefined
  #listener: McpListener | undefined
  #tlsWatch: TlsWatch | undefined
  #admin: Admin | undefined
  #addresses: RelayAddresses = {}
  #state: 'starting' | 'running' | 'draining' | 'stopped' = 'starting'
  #drained: Promise<void> | undefined
  #stopped: Promise<void> | undefined

  constructor(options: OpenRelayOptions) {
    const { config, identity, logger, metrics } = options
    this.name = config.name
    this.peerHandle = identity.peerHandle
    this.metrics = metrics
    this.#options = options
    this.#clock = options.clock ?? systemClock()
    const { limits } = config
    const context = { limits, environment: options.environment, clock: this.#clock, logger, metrics }
    const onSessionLost = (sessionId: string): void => this.#edge?.forgetSession(sessionId)
    this.#backends = new LocalBackends({ ...context, onSessionLost, onHealthChanged: () => {} })
    for (const backend of config.backends) this.#backends.set(backend)
    this.#mesh = new Mesh({
      identity,
      peers: config.peers,
      targets: this.#backends,
      onSessionEnded: (sessionId) => this.#edge?.forgetSession(sessionId),
      limits: { sessionsPerAssociation: config.limits.sessionsPerRoute, heldOctets: memoryLimitOctets() / 4 },
      clock: this.#clock,
      random: Math.random,
      logger,
      metrics,
    })
  }

  get addresses(): RelayAddresses {
    return this.#addresses
  }

  ready(): Readiness {
    return this.#state === 'running'
      ? { ok: true, reasons: [] }
      : { ok: false, reasons: [`the relay is ${this.#state}`] }
  }

  /** Rejects with RelayStartError. */
  async listen(): Promise<void> {
    const { npamp, mcp, admin, limits } = this.#options.config
    const mesh = npamp && (await opening('npamp', () => this.#mesh.listen({ ...npamp, ...limits }))).address
    this.#listener = mcp && (await opening('mcp', () => this.#listenMcp(mcp)))
    this.#tlsWatch = mcp?.tls && this.#watchTls(mcp.tls)
    this.#admin = admin && (await opening('admin', () => this.#listenAdmin(admin)))
    this.#addresses = {
      ...(mesh === undefined ? {} : { npamp: mesh }),
      ...(this.#listener === undefined ? {} : { mcp: this.#listener.address }),
      ...(this.#admin === undefined ? {} : { admin: this.#admin.address }),
    }
    this.#mesh.start()
    this.#state = 'running'
    this.#options.logger.info({ peerHandle: this.peerHandle, ...this.#addresses }, 'relay started')
  }

  drain(limitMs: number = this.#options.config.limits.drainMs): Promise<void> {
    this.#drained ??= this.#drain(limitMs)
    return this.#drained
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  killServers(): void {
    this.#backends.kill()
  }

  async #drain(limitMs: number): Promise<void> {
    this.#state = 'draining'
    const endsAt = this.#clock.now() + limitMs
    this.#mesh.announceDrain()
    await this.#edge?.stop(limitMs)
    await atMost(this.#clock, this.#mesh.closeWhenIdle(), endsAt - this.#clock.now())
    await this.stop()
  }

  async #stop(): Promise<void> {
    const ran = this.#state !== 'starting'
    this.#state = 'stopped'
    this.#tlsWatch?.close()
    await this.#edge?.stop(0)
    await this.#mesh.close(PEERS_LIMIT_MS)
    await this.#backends.close()
    await this.#admin?.close()
    if (ran) this.#options.logger.info({}, 'relay stopped')
  }

  #listenMcp(listener: NonNullable<RelayConfig['mcp']>): Promise<McpListener> {
    const { config, logger, metrics } = this.#options
    this.#edge = createMcpEdge({
      routes: buildRouteTable(config.routes.map((route) => edgeRoute(route, this.#targetOf(route)))),
      limits: edgeLimits(config.limits, memoryLimitOctets() / 4),
      clock: this.#clock,
      wallClock: Date.now,
      random: randomBytes,
      facts: this.#facts(),
      logger,
      metrics,
    })
    return this.#edge.listen({ ...listener, tls: listener.tls?.material })
  }

  #watchTls(tls: McpTlsConfig): TlsWatch {
    const onChange = (material: McpTlsMaterial): void => this.#listener?.renewTls(material)
    return new TlsWatch({ tls, onChange, clock: this.#clock, logger: this.#options.logger })
  }

  #facts(): ToolFacts {
    const { metrics } = this.#options
    return new Labels({
      onUnknownTool: () => metrics.add('causeway_tool_labels_total', 1, { reason: 'unknown_tool' }),
      onContradiction: () => metrics.add('causeway_tool_labels_total', 1, { reason: 'contradictory' }),
    })
  }

  #targetOf({ name, target }: RouteConfig): CallTarget {
    const found =
      'backend' in target ? this.#backends.edgeTarget(target.backend) : this.#mesh.target(target.peer, target.target)
    if (found !== undefined) return found
    throw new RelayStartError('CONFIGURATION', 'spec.transparent.target', `the target of route ${name} is not there`)
  }

  #listenAdmin({ host, port }: NonNullable<RelayConfig['admin']>): Promise<Admin> {
    const text = (): Promise<string> => {
      this.#mesh.syncMetrics()
      return this.metrics.text()
    }
    return startAdmin({ host, port, metrics: { text }, ready: () => this.ready() })
  }
}

async function opening<Opened>(listener: 'npamp' | 'mcp' | 'admin', open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof RelayStartError) throw error
    if (error instanceof RouteError) throw new RelayStartError('CONFIGURATION', 'spec.path', error.message)
    const message = error instanceof Error ? error.message : String(error)
    throw new RelayStartError('LISTEN', `spec.listeners.${listener}`, message)
  }
}

/** What this process may use: the container's limit where there is one. */
function memoryLimitOctets(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, os.totalmem()) : os.totalmem()
}
