#!/usr/bin/env node
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { EXIT } from './exit-codes.ts'
import { runProgram } from './program.ts'

/** The command `causeway`: the only file here that touches the process. */

// Whoever reads the output may go away; that is no reason to stop relaying.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/**
 * By how much garbage may outgrow what lives before the whole heap is looked at. What lives in a relay is small and what
 * passes through it is large: V8 counts both, and with its usual measure would do so for every message of some megabytes.
 * Near the process's memory limit it still does.
 */
const HEAP_GROWTH_PERCENT = 200

const code = await runProgram(process.argv.slice(2), {
  environment: process.env,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  onStopSignal(callback) {
    process.on('SIGINT', callback)
    process.on('SIGTERM', callback)
    // A relay that only dials, on demand, has nothing else that keeps the process from ending.
    setInterval(() => {}, 2 ** 31 - 1)
  },
  onExit: (callback) => void process.on('exit', callback),
  exitNow: () => process.exit(EXIT.interrupted),
  loadRelay() {
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
    return import('@causeway/relay')
  },
  async connect(options) {
    const { runHere } = await import('@causeway/connect')
    return runHere(options, 'causeway connect')
  },
  machine: {
    platform: process.platform,
    homeFolder: homedir(),
    workingFolder: process.cwd(),
    node: process.execPath,
    connectLauncher: fileURLToPath(import.meta.resolve('@causeway/connect/launch.mjs')),
  },
})
await flushed(process.stdout)
await flushed(process.stderr)
// Whatever a library still holds open must not keep a process that has said good-bye.
process.exit(code)

/** Pipes are written in the background, and `process.exit` does not wait for them. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve()
    else stream.write('', () => resolve())
  })
}
