/** A process that a measurement stands on. */
interface Watched {
  readonly ended: Promise<number | string>
}

/** Tells, until it is stopped, of the first of these processes that ends: what is measured without it means nothing. */
export function whenOneEnds(
  processes: Readonly<Record<string, Watched>>,
  onEnded: (error: Error) => void,
): { stop(): void } {
  let watching = true
  for (const [name, { ended }] of Object.entries(processes)) {
    void ended.then((how) => {
      if (watching) onEnded(new Error(`${name} ended in the middle of the measurement: ${how}`))
      watching = false
    })
  }
  return {
    stop() {
      watching = false
    },
  }
}
