export type Level = 'ok' | 'warning' | 'failed'

/** One line of what `causeway check` says. */
export interface CheckLine {
  /** What belongs together, as in `installation`. */
  readonly category: string
  /** Stable, kebab-case; the same for what is well and for what is not. */
  readonly check: string
  readonly level: Level
  /** Where level is `ok`: what is so. Else: what is wrong, and with what. */
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
}

/** What a check has to say against what it looked at. */
export interface Finding {
  readonly level: Exclude<Level, 'ok'>
  readonly message: string
  readonly hint?: string
}

/** One question about `Subject`, which somebody gathered before: the answer is a pure function of that. */
export interface Check<Subject> {
  readonly category: string
  readonly check: string
  /** What is so when there is nothing to say against it. */
  readonly title: string
  /** Undefined where it cannot be judged, because of something that another check tells. */
  readonly judge: (subject: Subject) => readonly Finding[] | undefined
}

/** The lines of all checks, in their order: one for a check that has nothing to say, else one for each finding. */
export function linesOf<Subject>(checks: readonly Check<Subject>[], subject: Subject): readonly CheckLine[] {
  return checks.flatMap(({ category, check, title, judge }): CheckLine[] => {
    const findings = judge(subject)
    if (findings === undefined) return []
    if (findings.length === 0) return [{ category, check, level: 'ok', message: title }]
    return findings.map((finding) => ({ category, check, ...finding }))
  })
}
