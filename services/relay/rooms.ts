import { randomBytes } from 'node:crypto'
import os from 'node:os'
import type { TlsListener } from '@causeway/npamp/transports'
import type { Admin, Readiness } from '@causeway/telemetry'
import type { AddressConfig, OwnKey, RelayLimits, RelaySettings } from './config/relay-config.ts'
import type { RelayAddresses } from './contract.ts'
import { edgeLimits } from './edge-options.ts'
import type { McpEdge, McpListener } from './edges/mcp/contract.ts'
import { createMcpEdge } from './edges/mcp/edge.ts'
import type { ToolFacts } from './exchanges/tool-facts.ts'
import { Labels } from './labels/labels.ts'
import { adminListeners, type McpListenerOpening, mcpListeners, npampListeners } from './listeners/kinds.ts'
import { type ListenerChange, ListenerSlot } from './listeners/listener-slot.ts'
import type { InForce, RoomsChange, SettingsChange } from './live/in-force.ts'
import { LocalBackends } from './local/local-backends.ts'
import type { OwnIdentity } from './mesh/association-factory.ts'
import { type ListenerConfig, Mesh } from './mesh/mesh.ts'
import { atMost } from './pacing/at-most.ts'
import type { RoomsOptions } from './rooms-options.ts'
import { RouteSet } from './router/route-set.ts'

/** How long peers may take to answer a CLOSE when a relay stops. */
const PEERS_LIMIT_MS = 2_000

/** The rooms of one relay, connected, and what of its configuration is in force in them. */
export class Rooms implements InForce {
  readonly backends: LocalBackends
  readonly mesh: Mesh
  readonly edge: McpEdge
  readonly #options: RoomsOptions
  readonly #routes: RouteSet
  readonly #facts: ToolFacts
  readonly #npamp: ListenerSlot<ListenerConfig, TlsListener>
  readonly #mcp: ListenerSlot<McpListenerOpening, McpListener>
  readonly #admin: ListenerSlot<AddressConfig, Admin>
  readonly #bootId = randomBytes(8)
  #settings: RelaySettings
  #identity: OwnKey
  /** Keys before it, whose associations may be open yet; the oldest first. */
  #earlier: readonly OwnKey[] = []
  #isConfigured = false

  /** Nothing is open and nothing in force; `settings` are those that are prepared next. */
  constructor(options: RoomsOptions, settings: RelaySettings) {
    const { clock, wallClock, logger, metrics, environment, onChanged, successorStore, maxRetiringMs } = options
    const { limits } = settings
    this.#options = options
    this.#settings = settings
    this.#identity = this.#keyOf(settings)
    const onSessionLost = (sessionId: string): void => this.edge.forgetSession(sessionId)
    this.backends = new LocalBackends({
      limits,
      environment,
      clock,
      logger,
      metrics,
      onSessionLost,
      onHealthChanged: onChanged,
    })
    this.mesh = new Mesh({
      identity: this.#identityOf(settings),
      peers: [],
      targets: this.backends,
      onSessionEnded: onSessionLost,
      onPeerChanged: onChanged,
      limits: { sessionsPerAssociation: limits.sessionsPerRoute, heldOctets: memoryLimitOctets() / 4 },
      ...(successorStore === undefined ? {} : { successorStore }),
      ...(maxRetiringMs === undefined ? {} : { maxRetiringMs }),
      clock,
      wallClock,
      random: Math.random,
      logger,
      metrics,
    })
    this.#facts = this.#newFacts()
    this.#routes = new RouteSet({
      backend: (name) => this.backends.edgeTarget(name),
      peer: (...to) => this.mesh.target(...to),
    })
    this.edge = createMcpEdge({
      routes: this.#routes.table,
      limits: edgeLimits(limits, memoryLimitOctets() / 4),
      clock,
      wallClock,
      random: randomBytes,
      facts: this.#facts,
      logger,
      metrics,
    })
    this.#npamp = new ListenerSlot(npampListeners(this.mesh))
    this.#mcp = new ListenerSlot(mcpListeners(this.edge, () => this.#settings.limits.drainMs))
    this.#admin = new ListenerSlot(
      adminListeners({ metrics: { text: () => this.metricsText() }, ready: () => options.ready() }),
    )
  }

  get peerHandle(): string {
    return this.#identity.peerHandle
  }

  /**
   * The PeerHandle that peers must still accept: an earlier one while an association made with it is open, so that nobody
   * takes its key for done with (CONTROL section 5).
   */
  get peerHandleInUse(): string {
    return this.#earlier.find(({ key }) => this.mesh.isInUse(key))?.peerHandle ?? this.peerHandle
  }

  /** PeerHandles for which a key is at hand: the present one, and the next. */
  get heldIdentities(): readonly string[] {
    const { successor } = this.#settings.identity
    return successor === undefined ? [this.peerHandle] : [this.peerHandle, successor.peerHandle]
  }

  get addresses(): RelayAddresses {
    const [npamp, mcp, admin] = [this.#npamp.address, this.#mcp.address, this.#admin.address]
    return {
      ...(npamp === undefined ? {} : { npamp }),
      ...(mcp === undefined ? {} : { mcp }),
      ...(admin === undefined ? {} : { admin }),
    }
  }

  get limits(): RelayLimits {
    return this.#settings.limits
  }

  /** Whether settings are in force, and every listener that they ask for is open. */
  get readiness(): Readiness {
    if (!this.#isConfigured) return NOT_CONFIGURED
    const { npamp, mcp, admin } = this.#settings
    const { addresses } = this
    const closed = Object.entries({ npamp, mcp, admin }).filter(
      ([name, wanted]) => wanted !== undefined && !Object.hasOwn(addresses, name),
    )
    return { ok: closed.length === 0, reasons: closed.map(([name]) => `the ${name} listener is not open`) }
  }

  metricsText(): Promise<string> {
    this.mesh.syncMetrics()
    return this.#options.metrics.text()
  }

  // --- InForce ---

  async prepare(settings: RelaySettings | undefined): Promise<SettingsChange> {
    const prepared: ListenerChange[] = []
    const rollback = async (): Promise<void> => {
      for (const change of prepared.toReversed()) await change.rollback()
    }
    try {
      const { limits } = settings ?? this.#settings
      prepared.push(await this.#npamp.prepare(settings?.npamp && { ...settings.npamp, ...halfOpenOf(limits) }))
      prepared.push(await this.#mcp.prepare(settings?.mcp && { ...settings.mcp, ...serverLimitsOf(limits) }))
      prepared.push(await this.#admin.prepare(settings?.admin))
    } catch (error) {
      await rollback()
      throw error
    }
    const commit = (): void => {
      this.#isConfigured = settings !== undefined
      if (settings !== undefined) this.#commit(settings)
      for (const change of prepared) change.commit()
      if (settings !== undefined) this.mesh.start()
    }
    return { commit, rollback }
  }

  change({ settings, peers, backends, routes }: RoomsChange): void {
    settings?.commit()
    // Sessions of routes that go end in good order, before what they lead to goes.
    if (routes.size > 0) {
      const ended = this.#routes.change(routes)
      this.edge.setRoutes(this.#routes.table, ended, this.limits.drainMs)
    }
    // CARRIAGE section 11: what is known of tools is known of one server.
    const elsewhere = new Set<string>()
    const grantsChanged = this.#changeBackends(backends, elsewhere)
    this.#changePeers(peers, elsewhere)
    this.#facts.forgetTargets(elsewhere)
    if (grantsChanged || peers.size > 0) this.mesh.targetsChanged()
    this.#options.onChanged()
  }

  /** True: peers find others than before. Adds to `elsewhere` the targets behind which another server is now, or none. */
  #changeBackends(backends: RoomsChange['backends'], elsewhere: Set<string>): boolean {
    let grantsChanged = false
    for (const [name, config] of backends) {
      if (config === undefined) this.backends.remove(name)
      const { grants, server } = config === undefined ? GONE : this.backends.set(config)
      if (server) elsewhere.add(`backend/${name}`)
      grantsChanged ||= grants
    }
    if (backends.size > 0) this.backends.prune((name) => this.#routes.leadsTo(name))
    return grantsChanged
  }

  #changePeers(peers: RoomsChange['peers'], elsewhere: Set<string>): void {
    if (peers.size === 0) return
    for (const [name, config] of peers) {
      if (config !== undefined && !this.mesh.isAnother(config)) continue
      for (const target of this.#routes.targetsBehind(name)) elsewhere.add(target)
    }
    this.mesh.setPeers(
      [...peers.values()].filter((config) => config !== undefined),
      [...peers.keys()].filter((name) => peers.get(name) === undefined),
    )
  }

  denyUnlessReadOnly(denied: boolean): void {
    this.edge.denyUnlessReadOnly(denied)
    this.mesh.denyUnlessReadOnly(denied)
  }

  // --- the end ---

  /** Stops accepting, and waits for what is open. */
  async drain(limitMs: number): Promise<void> {
    const { clock } = this.#options
    const endsAt = clock.now() + limitMs
    this.mesh.announceDrain()
    await this.edge.stop(limitMs)
    await atMost(clock, this.mesh.closeWhenIdle(), endsAt - clock.now())
  }

  async stop(): Promise<void> {
    await this.edge.stop(0)
    await this.mesh.close(PEERS_LIMIT_MS)
    await this.backends.close()
    await this.#admin.close()
  }

  #commit(settings: RelaySettings): void {
    const { limits, identity } = settings
    const changed = this.#keyOf(settings)
    if (changed !== this.#identity) this.#identityChanges(changed)
    this.#settings = settings
    this.#identity = changed
    this.edge.setLimits(edgeLimits(limits, memoryLimitOctets() / 4))
    this.backends.setLimits(limits)
    this.mesh.setLimits({ sessionsPerAssociation: limits.sessionsPerRoute })
    this.mesh.setIdentity(this.#identityOf(settings), identity.successor?.statement)
  }

  #identityChanges(changed: OwnKey): void {
    for (const warning of changed.warnings) this.#options.logger.warn({}, warning)
    this.#earlier = [...this.#earlier.filter(({ key }) => this.mesh.isInUse(key)), this.#identity]
  }

  /** The same key read again stays the one that there is. */
  #keyOf({ identity: { current } }: RelaySettings): OwnKey {
    const own = current ?? this.#options.mintedKey()
    return this.#identity?.peerHandle === own.peerHandle ? this.#identity : own
  }

  #identityOf(settings: RelaySettings): OwnIdentity {
    const { provider, replica } = this.#options
    const { key } = this.#keyOf(settings)
    return { provider, key, replica: settings.replica ?? replica, bootId: this.#bootId }
  }

  #newFacts(): ToolFacts {
    const { metrics } = this.#options
    return new Labels({
      onUnknownTool: () => metrics.add('causeway_tool_labels_total', 1, { reason: 'unknown_tool' }),
      onContradiction: () => metrics.add('causeway_tool_labels_total', 1, { reason: 'contradictory' }),
    })
  }
}

const GONE = { grants: true, server: true }
const NOT_CONFIGURED: Readiness = { ok: false, reasons: ['the relay has no configuration yet'] }

function halfOpenOf({ halfOpenHandshakes, halfOpenPerSource }: RelayLimits) {
  return { halfOpenHandshakes, halfOpenPerSource }
}

function serverLimitsOf({ maxHeaderOctets, drainMs }: RelayLimits) {
  return { maxHeaderOctets, drainMs }
}

/** What this process may use: the container's limit where there is one. */
function memoryLimitOctets(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, os.totalmem()) : os.totalmem()
}
