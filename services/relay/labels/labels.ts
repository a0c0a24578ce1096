import {
  calledTool,
  EFFECT,
  type Effect,
  effectOf,
  findMember,
  isContradictory,
  type ScannedMessage,
  ToolFacts,
  toolPageOf,
} from '@causeway/npamp'

/** Whose view of which target: what one caller was told of tools is nothing to another (CARRIAGE section 11). */
export interface LabelScope {
  /** `CallTarget.name`. */
  readonly target: string
  /** `Session.id`; undefined: the caller's authorisation context decides. */
  readonly session: string | undefined
  readonly principal: string
  /** False: the target's word lowers no effect (digest 06 section 5.2). */
  readonly trustAnnotations: boolean
}

export interface LabelsOptions {
  /** A call of a tool that no list named: labelled destructive, reason ToolUnknown. */
  readonly onUnknownTool: () => void
  /** A tool that is read only and destructive at once; the first decides (digest 06 section 5.2). */
  readonly onContradiction: () => void
  /** Over all scopes; the scope that was used longest ago is forgotten first. Default 500,000. */
  readonly maxTools?: number
}

/** The effect that each request is labelled with, from its method and from what `tools/list` said of its tool. */
export class Labels {
  readonly #options: LabelsOptions
  readonly #maxTools: number
  /** Least recently used first. */
  readonly #scopes = new Map<string, ToolFacts>()
  #tools = 0

  constructor(options: LabelsOptions) {
    this.#options = options
    this.#maxTools = options.maxTools ?? 500_000
  }

  get scopes(): number {
    return this.#scopes.size
  }

  effectOf(message: ScannedMessage, method: string, scope: LabelScope): Effect {
    if (method !== 'tools/call') return effectOf(method)
    if (!scope.trustAnnotations) return EFFECT.DESTRUCTIVE
    const tool = calledTool(message)
    const effect = tool === undefined ? undefined : this.#find(scope)?.effectOf(tool)
    if (effect === undefined) this.#options.onUnknownTool()
    return effect ?? EFFECT.DESTRUCTIVE
  }

  /**
   * A `tools/list` request passes; its result is told to what this returns. A list that was asked for before the server said
   * that its tools changed teaches nothing.
   */
  listing(request: ScannedMessage, scope: LabelScope): (result: ScannedMessage) => void {
    const first = request.params === undefined || findMember(request.text, request.params, 'cursor') === undefined
    const generation = this.#find(scope)?.generation ?? 0
    return (result) => {
      const page = toolPageOf(result)
      if (page === undefined) return
      this.#change(scope, (facts) => facts.learn(page, first, generation))
      for (const tool of page.tools) if (isContradictory(tool.hints)) this.#options.onContradiction()
    }
  }

  /** The server said in this scope that its tools changed. */
  changed(scope: LabelScope): void {
    this.#change(scope, (facts) => facts.forget())
  }

  /** The session is over, and with it all that was said in it. */
  sessionEnded(target: string, session: string): void {
    this.#drop(keyOf({ target, session, principal: '' }))
  }

  #find(scope: LabelScope): ToolFacts | undefined {
    const key = keyOf(scope)
    const facts = this.#scopes.get(key)
    if (facts === undefined) return undefined
    this.#scopes.delete(key)
    this.#scopes.set(key, facts)
    return facts
  }

  #change(scope: LabelScope, change: (facts: ToolFacts) => void): void {
    const facts = this.#find(scope) ?? new ToolFacts()
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

function keyOf({ target, session, principal }: Omit<LabelScope, 'trustAnnotations'>): string {
  return session === undefined ? `${target}\n${principal}` : `${target}\r${session}`
}
