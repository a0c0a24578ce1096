import type { SoakResult } from './soak.ts'

export interface SoakBar {
  /** The upper end of the slope's 95 % interval, of what there was at the start. */
  readonly percentPerTenMinutes: number
}

/** What is wrong with a run, each a sentence. */
export function faultsOf({ failures, relays, sessionsLeft }: SoakResult, bar: SoakBar): string[] {
  const faults = failures.map((failure) => `a call failed: ${failure}`)
  if (sessionsLeft > 0) faults.push(`the server still has ${sessionsLeft} sessions`)
  for (const [name, { slope, left, open }] of Object.entries(relays)) {
    const percent = (100 * 600 * slope.high) / slope.start
    if (percent > bar.percentPerTenMinutes) {
      faults.push(`relay ${name} may grow by ${percent.toFixed(2)} % in 10 minutes`)
    }
    for (const [kind, { before, after }] of Object.entries(left)) {
      faults.push(`relay ${name} has ${after} of ${kind}, and had ${before}`)
    }
    for (const [gauge, value] of Object.entries(open)) faults.push(`relay ${name}: ${gauge} is ${value}`)
  }
  return faults
}
