/** Holds one cluster of the level that its argument names, until SIGTERM. `npm run cluster -- up` starts it. */
import { dirname } from 'node:path'
import { startApiLevel } from '../api-level.ts'
import { startNodeLevel } from '../node-level.ts'
import { identityOf } from '../processes/identity.ts'
import { type Level, noteRunning, noteStopped } from './state.ts'

const level: Level = process.argv[2] === 'node' ? 'node' : 'api'
const told = new Promise((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve)
})
const cluster = level === 'node' ? await startNodeLevel() : await startApiLevel({ controllerManager: true })
const holder = identityOf(process.pid)
if (holder === undefined) throw new Error('no identity of this process')
await noteRunning(level, {
  holder,
  runFolder: dirname(cluster.kubeconfig),
  kubeconfig: cluster.kubeconfig,
  ...('nodeAddress' in cluster ? { nodeAddress: cluster.nodeAddress } : {}),
})
const alive = setInterval(() => {}, 60_000)
await told
clearInterval(alive)
await cluster.stop()
await noteStopped(level)
