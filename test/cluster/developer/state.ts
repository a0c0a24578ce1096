import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isAlive, type ProcessIdentity } from '../processes/identity.ts'

export const LEVELS = ['api', 'node'] as const
export type Level = (typeof LEVELS)[number]

/** A cluster that runs until it is told to stop, for a person to play with. */
export interface RunningCluster {
  /** Of the process that holds it. */
  readonly holder: ProcessIdentity
  readonly runFolder: string
  readonly kubeconfig: string
  /** Where Services of the type NodePort are reached; absent without a node. */
  readonly nodeAddress?: string
}

/** Undefined when none of this level runs. */
export async function runningCluster(level: Level): Promise<RunningCluster | undefined> {
  const text = await readFile(stateFile(level), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const state = JSON.parse(text) as RunningCluster
  return isAlive(state.holder) ? state : undefined
}

export async function noteRunning(level: Level, state: RunningCluster): Promise<void> {
  const file = stateFile(level)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, JSON.stringify(state))
  await rename(`${file}.new`, file)
}

export async function noteStopped(level: Level): Promise<void> {
  await rm(stateFile(level), { force: true })
}

/** What the holder says, a start that failed above all. */
export function holderLog(level: Level): string {
  return join(dirname(stateFile(level)), `${level}.log`)
}

function stateFile(level: Level): string {
  const base = process.env.XDG_STATE_HOME ?? join(homedir(), '.local/state')
  return join(base, 'causeway-cluster', `${level}.json`)
}
