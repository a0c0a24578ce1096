#!/usr/bin/env node
// Plain JavaScript that the oldest Node reads, so that one that cannot read the sources can still say why.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [major = 0] = process.versions.node.split('.').map(Number)

if (major >= 24) {
  await import('./causeway.ts')
} else {
  const node = bundledNode()
  if (node === undefined) {
    process.stderr.write(
      `causeway needs Node 24 or newer; this is Node ${process.versions.node} (${process.execPath})\n`,
    )
    process.exitCode = 1
  } else {
    runWith(node)
  }
}

/** The Node that was installed beside this program, as `npx` finds it. @returns {string | undefined} */
function bundledNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`)
    const node = join(dirname(manifest), 'bin', 'node')
    return existsSync(node) ? node : undefined
  } catch {
    return undefined
  }
}

/** Goes on as a child, and ends as it ends. @param {string} node */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      // A terminal has told the child itself; told twice, it would not wait for what is still open.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    process.stderr.write(`causeway: ${node} cannot be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
