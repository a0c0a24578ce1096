import { ConfigurationError, formatFieldPath, type Problem } from '@causeway/mesh-api'
import { placeOf } from '../../jsonc/node.ts'
import type { Origin } from './servers.ts'

/** What is wrong with a file, kept until it is asked for, and what is odd about it, told at once. */
export class Findings {
  readonly #problems: Problem[] = []
  readonly #file: string
  readonly #text: string

  readonly #onWarning: (warning: Problem) => void

  constructor(file: string, text: string, onWarning: (warning: Problem) => void) {
    this.#onWarning = onWarning
    this.#file = file
    this.#text = text
  }

  error(at: Origin, message: string): undefined {
    this.#problems.push(this.#problem(at, message))
    return undefined
  }

  warn(at: Origin, message: string): void {
    this.#onWarning(this.#problem(at, message))
  }

  /** Throws ConfigurationError when there are errors. */
  check(): void {
    const byPlace = this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
    if (byPlace.length > 0) throw new ConfigurationError(byPlace)
  }

  #problem({ path, offset }: Origin, message: string): Problem {
    return { file: this.#file, ...placeOf(this.#text, offset), fieldPath: formatFieldPath(path), message }
  }
}
