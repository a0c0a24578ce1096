import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { program, programs } from '../binaries/build.ts'
import { ALL_PROGRAMS, API_PROGRAMS } from '../binaries/table.ts'
import { cleanUpStale } from '../clean-up.ts'
import { importImage } from '../node/containerd.ts'
import { isAlive, signalProcess } from '../processes/identity.ts'
import { RunFolder } from '../processes/run-folder.ts'
import { until } from '../wait.ts'
import { holderLog, type Level, type RunningCluster, runningCluster } from './state.ts'

/** What may be asked of `npm run cluster`; each resolves with what to print. */
export const COMMANDS = {
  /** Compiles what is missing, so that nothing waits for it later. */
  async build(level: Level) {
    await programs(level === 'node' ? ALL_PROGRAMS : API_PROGRAMS)
    return 'every program is there'
  },

  /** Starts a cluster that stays; the one that runs already is as good. */
  async up(level: Level) {
    await COMMANDS.build(level)
    return describe(level, (await runningCluster(level)) ?? (await start(level)))
  },

  /** Stops it, and removes what it left. */
  async down(level: Level) {
    const running = await runningCluster(level)
    if (running === undefined) {
      await cleanUpStale()
      return `no cluster of level ${level} runs`
    }
    signalProcess(running.holder, 'SIGTERM')
    await until('the cluster is gone', () => !isAlive(running.holder))
    return 'stopped'
  },

  /** Prints the path of its kubeconfig and nothing else. */
  async kubeconfig(level: Level) {
    return (await demand(level)).kubeconfig
  },

  /** Gives its node an image. */
  async load(level: Level, archive: string | undefined) {
    if (archive === undefined) throw new Error('load needs the file of an image, for example dist/causeway-image.tar')
    await importImage(await program('ctr'), new RunFolder((await demand(level)).runFolder), archive)
    return `loaded ${archive}`
  },
} satisfies Record<string, (level: Level, argument?: string) => Promise<string>>

async function start(level: Level): Promise<RunningCluster> {
  const log = holderLog(level)
  await mkdir(dirname(log), { recursive: true })
  const output = openSync(log, 'w')
  const script = fileURLToPath(new URL('holder.ts', import.meta.url))
  const child = spawn(process.execPath, [script, level], { detached: true, stdio: ['ignore', output, output] })
  const failed = once(child, 'exit').then(() => {
    throw new Error(`the cluster did not start:\n${readFileSync(log, 'utf8')}`)
  })
  const running = await Promise.race([until('the cluster runs', () => runningCluster(level), START_LIMIT), failed])
  failed.catch(() => {})
  child.unref()
  return running
}

const START_LIMIT = { timeoutMs: 180_000 }

async function demand(level: Level): Promise<RunningCluster> {
  const running = await runningCluster(level)
  if (running === undefined)
    throw new Error(`no cluster of level ${level} runs: npm run cluster -- up --level ${level}`)
  return running
}

async function describe(level: Level, { kubeconfig, nodeAddress }: RunningCluster): Promise<string> {
  const tools = level === 'node' ? (['kubectl', 'helm'] as const) : (['kubectl'] as const)
  const folders = await Promise.all(tools.map(async (tool) => dirname(await program(tool))))
  return [
    `export KUBECONFIG=${kubeconfig}`,
    `export PATH=${folders.join(':')}:$PATH # ${tools.join(' and ')}, of the versions that the tests use`,
    ...(nodeAddress === undefined ? [] : [`# Services of the type NodePort: ${nodeAddress}`]),
  ].join('\n')
}
