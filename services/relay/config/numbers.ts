/** What a message counts in 64 bits. A limit beyond what a number can say exactly is none. */
export function number(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)
}

export function optionalNumber(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : number(value)
}
