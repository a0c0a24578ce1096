/** One thing that is wrong with a configuration, with everything a person needs to find it. */
export interface Problem {
  readonly file: string
  /** 1-based; 0 where the file as a whole is meant. */
  readonly line: number
  readonly column: number
  /** As far as they are known: `MeshRoute`, `default/tools`. */
  readonly kind?: string
  readonly name?: string
  /** As in `spec.addresses[0]`; empty where the object or the document is meant. */
  readonly fieldPath: string
  /** Never repeats a value from the file. */
  readonly message: string
}

/** What is wrong with a set of files, all of it. */
export class ConfigurationError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.name = 'ConfigurationError'
    this.problems = problems
  }
}

/** `file:line:column: kind/namespace/name: field.path: message`, leaving out what is not known. */
export function formatProblem(problem: Problem): string {
  const where = problem.line > 0 ? `${problem.file}:${problem.line}:${problem.column}` : problem.file
  const object = problem.name === undefined ? problem.kind : `${problem.kind ?? 'object'}/${problem.name}`
  return [where, object, problem.fieldPath === '' ? undefined : problem.fieldPath, problem.message]
    .filter((part) => part !== undefined)
    .join(': ')
}
