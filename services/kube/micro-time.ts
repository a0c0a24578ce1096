/** `MicroTime` of the API: RFC 3339 in UTC with six digits after the second. */
export function microTime(epochMs: number): string {
  const micros = Math.floor((epochMs - Math.floor(epochMs)) * 1_000)
  return new Date(epochMs).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)
}
