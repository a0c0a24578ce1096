import { EFFECT, type Effect } from '../../bridge/contract.ts'
import { toolEffect } from './tool-effect.ts'
import type { ListedTool, ToolPage } from './tool-list.ts'

/** What one caller has been told about the tools of one target. */
export class ToolFacts {
  #known = new Map<string, Effect>()
  /** A list whose later pages are still to come: it counts already, beside what was known before. */
  #gathering: Map<string, Effect> | undefined
  #generation = 0

  /** Rises with every change that makes lists under way outdated. */
  get generation(): number {
    return this.#generation
  }

  get size(): number {
    return this.#known.size + (this.#gathering?.size ?? 0)
  }

  /** Undefined for a tool that no list named. */
  effectOf(tool: string): Effect | undefined {
    const effect = this.#gathering?.get(tool)
    // While a list is under way, the one before still stands for what the pages so far do not name.
    return effect ?? this.#known.get(tool)
  }

  /** A page passed. `first`: it was asked for without a cursor; `generation` as it was then. */
  learn(page: ToolPage, first: boolean, generation: number): void {
    // The server changed its tools since: what it says of them now is not known (CARRIAGE section 11).
    if (generation !== this.#generation) return
    if (first || this.#gathering === undefined) this.#gathering = new Map(first ? [] : this.#known)
    for (const tool of page.tools) raise(this.#gathering, tool)
    const tooMany = this.#gathering.size > MAX_TOOLS
    if (!page.last && !tooMany) return
    this.#known = tooMany ? new Map() : this.#gathering
    this.#gathering = undefined
  }

  /** `list_changed`: nothing is known until a newer list. */
  forget(): void {
    this.#generation += 1
    this.#known = new Map()
    this.#gathering = undefined
  }
}

/** Of one list; a longer one teaches nothing. */
const MAX_TOOLS = 10_000

/** Pages, or entries of one, that disagree: the higher effect holds (CARRIAGE section 11). */
function raise(effects: Map<string, Effect>, { name, hints }: ListedTool): void {
  const effect = toolEffect(hints)
  if (effect >= (effects.get(name) ?? EFFECT.READ_ONLY)) effects.set(name, effect)
}
