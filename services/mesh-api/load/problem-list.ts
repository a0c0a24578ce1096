import { FILE_LIMITS } from './limits.ts'
import type { Problem } from './problem.ts'

/** Collects what is wrong, keeps as much of it as a person would read, and counts the rest. */
export class ProblemList {
  readonly #kept: Problem[] = []
  #more = 0

  readonly add = (problem: Problem): void => {
    if (this.#kept.length < FILE_LIMITS.problems) this.#kept.push(problem)
    else this.#more++
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0
  }

  /** By place: file in the order of `files`, line, column. */
  inOrder(files: readonly string[]): readonly Problem[] {
    const rank = new Map(files.map((name, index) => [name, index]))
    const sorted = this.#kept.toSorted(
      (a, b) => (rank.get(a.file) ?? 0) - (rank.get(b.file) ?? 0) || a.line - b.line || a.column - b.column,
    )
    const file = sorted.at(-1)?.file
    if (this.#more === 0 || file === undefined) return sorted
    return [...sorted, { file, line: 0, column: 0, fieldPath: '', message: `and ${this.#more} more problems` }]
  }
}
