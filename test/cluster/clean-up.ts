import { tearDownNode } from './node/tear-down.ts'
import { isAlive } from './processes/identity.ts'
import { RunFolder } from './processes/run-folder.ts'
import { until } from './wait.ts'

/** Ends everything that a run started, and removes everything that it made. */
export async function cleanUp(folder: RunFolder): Promise<void> {
  folder.killAll()
  await until('all processes of the cluster have ended', () => !folder.processes().some(isAlive))
  await tearDownNode(folder)
  folder.remove()
}

/** Does the same for runs that were killed before they could. */
export async function cleanUpStale(): Promise<void> {
  for (const folder of RunFolder.claimStale()) {
    try {
      await cleanUp(folder)
    } catch (error) {
      console.error(`what a killed run left in ${folder.path} could not be removed:`, error) // it concerns this run no further
    }
  }
}
