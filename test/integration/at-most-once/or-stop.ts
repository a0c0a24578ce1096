/** What `build` makes of something that was started; when that fails, it is stopped again and nothing is left behind. */
export async function orStop<Started extends { stop(): Promise<unknown> }, Built>(
  started: Started,
  build: (started: Started) => Promise<Built>,
): Promise<Built> {
  try {
    return await build(started)
  } catch (error) {
    await started.stop()
    throw error
  }
}
