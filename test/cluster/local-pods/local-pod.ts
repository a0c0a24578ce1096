import { setTimeout as delay } from 'node:timers/promises'
import type { ApiClient } from '../api/client.ts'
import type { RunFolder } from '../processes/run-folder.ts'
import { containerPort, onlyContainer, type PodObject } from './pod-object.ts'
import { type PodProcess, startPodProcess } from './pod-process.ts'
import { type PodPhase, PodStatus } from './pod-status.ts'
import { type Program, programOf } from './program.ts'
import { variablesOf } from './variables.ts'
import { mountVolumes, type PodVolumes } from './volumes.ts'

/** What a pod needs of whoever runs it. */
export interface PodHost {
  readonly client: ApiClient
  readonly folder: RunFolder
  service(namespace: string, name: string, port: number): Promise<string>
  /** Arguments that tell the process how it reaches the API server, for pods that may. */
  access(pod: PodObject): Promise<readonly string[]>
  /** Variables besides those of the pod. */
  variables(pod: PodObject): Readonly<Record<string, string>>
}

const PROBE_INTERVAL_MS = 100
/** The first time; twice as much after each start that came to nothing. */
const RESTART_AFTER_MS = 500
const MAX_RESTART_AFTER_MS = 8_000
/** What kubelet grants where the pod says nothing. */
const GRACE_S = 30

/** One pod, run as a process of this machine until it is stopped. Its process is started again whenever it ends. */
export class LocalPod {
  readonly object: PodObject
  /** Resolves when the pod has ended and nothing of it runs. */
  readonly ended: Promise<void>
  readonly #host: PodHost
  readonly #status: PodStatus
  readonly #stopped = new AbortController()
  readonly #root: string
  #process: PodProcess | undefined
  #program: Program | undefined
  #phase: PodPhase = 'Pending'
  #isReady = false
  #starts = 0
  #restartAfterMs = RESTART_AFTER_MS
  #halted: PromiseWithResolvers<void> | undefined
  #log = ''

  /** @param before what must have ended before this one starts: a pod of the same name. */
  constructor(object: PodObject, host: PodHost, before: Promise<void>) {
    this.object = object
    this.#host = host
    this.#status = new PodStatus(host.client, object, this.#stopped.signal)
    this.#root = host.folder.file('pods', object.metadata.uid)
    this.ended = before.then(() => this.#live())
  }

  get name(): string {
    return this.object.metadata.name
  }

  get namespace(): string {
    return this.object.metadata.namespace
  }

  get labels(): Readonly<Record<string, string>> {
    return this.object.metadata.labels ?? {}
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** How often its process was started. */
  get starts(): number {
    return this.#starts
  }

  /** Everything that its processes wrote. */
  get log(): string {
    return this.#log
  }

  /** Where the volume of a claim is. */
  claimFolder(name: string): string {
    return this.#host.folder.file('claims', this.namespace, name)
  }

  /** Where the process listens, on the loopback interface, for a port of the container. */
  portOf(port: number | string): number {
    const number = containerPort(onlyContainer(this.object), port)
    return this.#program?.ports.get(number) ?? number
  }

  hasPort(name: string): boolean {
    return onlyContainer(this.object).ports?.some((port) => port.name === name) === true
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.signal(signal)
  }

  /** SIGKILL; the process is started again. Resolves when it has ended. */
  async kill(): Promise<void> {
    const process = this.#process
    process?.signal('SIGKILL')
    await process?.ended
  }

  /** Ends the process, in good order where the signal lets it, and starts none until `resume`. */
  async halt(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#halted ??= Promise.withResolvers<void>()
    const process = this.#process
    process?.signal(signal)
    await process?.ended
  }

  resume(): void {
    this.#halted?.resolve()
    this.#halted = undefined
  }

  /** Ends it for good; resolves when nothing of it runs. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.resume()
    const process = this.#process
    process?.signal('SIGTERM')
    // A process that was stopped hears nothing.
    process?.signal('SIGCONT')
    const graceMs = (this.object.spec.terminationGracePeriodSeconds ?? GRACE_S) * 1_000
    const impatience = setTimeout(() => process?.signal('SIGKILL'), graceMs)
    await this.ended
    clearTimeout(impatience)
  }

  async #live(): Promise<void> {
    let volumes: PodVolumes | undefined
    try {
      volumes = await mountVolumes(this.#host.client, this.object, {
        root: this.#root,
        claim: (name) => this.claimFolder(name),
      })
      await Promise.race([volumes.ready, this.#whenStopped()])
      while (!this.#stopped.signal.aborted && this.#phase !== 'Succeeded') await this.#run()
    } catch (error) {
      this.#log += `${String(error)}\n`
    } finally {
      await volumes?.unmount()
    }
  }

  async #run(): Promise<void> {
    this.#program ??= await this.#prepare()
    await this.#halted?.promise
    if (this.#stopped.signal.aborted) return
    this.#starts++
    const process = startPodProcess(this.#host.folder, this.name, this.#program, (text) => {
      this.#log += text
    })
    this.#process = process
    this.#tell('Running', false)
    const probing = this.#probe(process)
    const how = await process.ended
    this.#process = undefined
    await probing
    if (this.object.spec.restartPolicy === 'Never') this.#tell(how === 0 ? 'Succeeded' : 'Failed', false)
    else this.#tell('Running', false)
    if (this.#phase === 'Failed') await this.#whenStopped()
    await this.#pause(this.#restartAfterMs)
    this.#restartAfterMs = Math.min(2 * this.#restartAfterMs, MAX_RESTART_AFTER_MS)
  }

  async #prepare(): Promise<Program> {
    for (;;) {
      try {
        const container = onlyContainer(this.object)
        const variables = await variablesOf(this.#host.client, this.object)
        const service = this.#host.service.bind(this.#host)
        const program = await programOf(container, { root: this.#root, variables, service })
        const args = [...program.args, ...(await this.#host.access(this.object))]
        return { ...program, args, env: { ...this.#host.variables(this.object), ...program.env } }
      } catch (error) {
        this.#log += `${String(error)}\n`
        if (this.#stopped.signal.aborted) throw error
        await this.#pause(RESTART_AFTER_MS)
      }
    }
  }

  async #probe(process: PodProcess): Promise<void> {
    let isRunning = true
    void process.ended.then(() => {
      isRunning = false
    })
    const probe = onlyContainer(this.object).readinessProbe?.httpGet
    while (isRunning) {
      const ready = probe === undefined || (await answers(this.portOf(probe.port), probe.path ?? '/'))
      if (ready) this.#restartAfterMs = RESTART_AFTER_MS
      if (isRunning && ready !== this.#isReady) this.#tell('Running', ready)
      await this.#pause(PROBE_INTERVAL_MS)
      if (this.#stopped.signal.aborted) return
    }
  }

  #tell(phase: PodPhase, ready: boolean): void {
    this.#phase = phase
    this.#isReady = ready
    this.#status.say({ phase, ready, restarts: Math.max(0, this.#starts - 1) })
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stopped.signal }).catch(() => {})
  }

  #whenStopped(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stopped.signal.aborted) resolve()
      else this.#stopped.signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

const PROBE_TIMEOUT_MS = 5_000

async function answers(port: number, path: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
