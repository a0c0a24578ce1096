/** metav1.Condition. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

/** What a controller finds; time and generation are added when it is written. */
export interface Verdict {
  readonly status: Condition['status']
  /** CamelCase, stable. */
  readonly reason: string
  readonly message: string
}

/** A person reads the message; what does not fit is cut. The schema takes 32,768 characters. */
const MAX_MESSAGE = 4_096

/**
 * The condition to write, or undefined when the object says it already: nothing is written that changes nothing. The
 * transition time moves only with the status.
 */
export function nextCondition(
  type: string,
  verdict: Verdict,
  existing: readonly Condition[] | undefined,
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): Condition | undefined {
  const before = existing?.find((one) => one.type === type)
  const message = verdict.message.slice(0, MAX_MESSAGE)
  if (
    before !== undefined &&
    before.status === verdict.status &&
    before.reason === verdict.reason &&
    before.message === message &&
    before.observedGeneration === generation
  )
    return undefined
  return {
    type,
    status: verdict.status,
    observedGeneration: generation,
    lastTransitionTime: before?.status === verdict.status ? before.lastTransitionTime : seconds(nowMs),
    reason: verdict.reason,
    message,
  }
}

/** RFC 3339 to the second, as all of Kubernetes writes it. */
function seconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
