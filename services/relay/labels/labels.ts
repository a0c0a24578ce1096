import {
  calledTool,
  EFFECT,
  type Effect,
  effectOf,
  findMember,
  isContradictory,
  NpampError,
  type ScannedMessage,
  scanMessage,
  ToolFacts as ToolsOfOne,
  toolPageOf,
} from '@causeway/npamp'
import type { CallReply } from '../exchanges/contract.ts'
import type { FactScope, ToolFacts } from '../exchanges/tool-facts.ts'

export interface LabelsOptions {
  /** A call of a tool that no list named: labelled destructive, reason ToolUnknown. */
  readonly onUnknownTool: () => void
  /** A tool that is read only and destructive at once; the first decides (digest 06 section 5.2). */
  readonly onContradiction: () => void
  /** Over all scopes; the scope that was used longest ago is forgotten first. Default 500,000. */
  readonly maxTools?: number
}

/** The effect that each request is labelled with, from its method and from what `tools/list` said of its tool. */
export class Labels implements ToolFacts {
  readonly #options: LabelsOptions
  readonly #maxTools: number
  /** Least recently used first. */
  readonly #scopes = new Map<string, ToolsOfOne>()
  #tools = 0
  /** Counts the times that other servers came behind targets. */
  #changes = 0
  /** At which of them another came behind a target, the latest last. */
  readonly #changedAt = new Map<string, number>()
  /** As if it were so of every target that is not remembered one by one. */
  #othersChangedAt = 0

  constructor(options: LabelsOptions) {
    this.#options = options
    this.#maxTools = options.maxTools ?? 500_000
  }

  get scopes(): number {
    return this.#scopes.size
  }

  effectOf(message: ScannedMessage, method: string, scope: FactScope): Effect {
    if (method !== 'tools/call') return effectOf(method)
    if (!scope.trustAnnotations) return EFFECT.DESTRUCTIVE
    const tool = calledTool(message)
    const effect = tool === undefined ? undefined : this.#find(scope)?.effectOf(tool)
    if (effect === undefined) this.#options.onUnknownTool()
    return effect ?? EFFECT.DESTRUCTIVE
  }

  /** A list that was asked for before the server said that its tools changed teaches nothing. */
  listing(request: ScannedMessage, scope: FactScope): (result: CallReply) => void {
    const first = request.params === undefined || findMember(request.text, request.params, 'cursor') === undefined
    const generation = this.#find(scope)?.generation ?? 0
    const asked = this.#changes
    return (result) => {
      if (this.#changeOf(scope.target) > asked) return
      const message = result.message ?? scanned(result.octets)
      const page = message && toolPageOf(message)
      if (page === undefined) return
      this.#change(scope, (facts) => facts.learn(page, first, generation))
      for (const tool of page.tools) if (isContradictory(tool.hints)) this.#options.onContradiction()
    }
  }

  listChanged(scope: FactScope): void {
    this.#change(scope, (facts) => facts.forget())
  }

  forget(scope: FactScope): void {
    this.#drop(keyOf(scope))
  }

  forgetTargets(targets: ReadonlySet<string>): void {
    if (targets.size === 0) return
    this.#changes++
    for (const target of targets) {
      this.#changedAt.delete(target)
      this.#changedAt.set(target, this.#changes)
    }
    for (const [target, changedAt] of this.#changedAt) {
      if (this.#changedAt.size <= MAX_CHANGED) break
      this.#changedAt.delete(target)
      this.#othersChangedAt = changedAt
    }
    for (const key of [...this.#scopes.keys()]) if (targets.has(targetIn(key))) this.#drop(key)
  }

  #changeOf(target: string): number {
    return this.#changedAt.get(target) ?? this.#othersChangedAt
  }

  #find(scope: FactScope): ToolsOfOne | undefined {
    const key = keyOf(scope)
    const facts = this.#scopes.get(key)
    if (facts === undefined) return undefined
    this.#scopes.delete(key)
    this.#scopes.set(key, facts)
    return facts
  }

  #change(scope: FactScope, change: (facts: ToolsOfOne) => void): void {
    const facts = this.#find(scope) ?? new ToolsOfOne()
    this.#tools -= facts.size
    change(facts)
    this.#tools += facts.size
    this.#scopes.set(keyOf(scope), facts)
    for (const key of this.#scopes.keys()) {
      if (this.#tools <= this.#maxTools && this.#scopes.size <= MAX_SCOPES) break
      this.#drop(key)
    }
  }

  #drop(key: string): void {
    this.#tools -= this.#scopes.get(key)?.size ?? 0
    this.#scopes.delete(key)
  }
}

const MAX_SCOPES = 100_000
/** Targets that lists may still be on their way from; beyond it those lists teach nothing, whatever they are of. */
const MAX_CHANGED = 10_000

function keyOf({ target, context }: FactScope): string {
  return `${target}\n${context}`
}

function targetIn(key: string): string {
  return key.slice(0, key.indexOf('\n'))
}

function scanned(octets: Uint8Array): ScannedMessage | undefined {
  try {
    return scanMessage(octets)
  } catch (error) {
    if (error instanceof NpampError) return undefined
    throw error
  }
}
