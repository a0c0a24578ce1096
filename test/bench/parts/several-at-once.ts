/** Runs all of them, in this order, so many at a time. Rejects with the first that does. */
export async function severalAtOnce(width: number, work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const left = work.values()
  const worker = async (): Promise<void> => {
    for (const next of left) await next()
  }
  await Promise.all(Array.from({ length: width }, worker))
}
