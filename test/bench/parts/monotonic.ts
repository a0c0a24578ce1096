/** Milliseconds of a clock that never steps, and that all processes of this machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000
}
