#!/usr/bin/env node
// Plain JavaScript that the oldest Node reads, so that one that cannot read the sources can still say why.
const [major = 0] = process.versions.node.split('.').map(Number)

if (major < 24) {
  process.stderr.write(`causeway needs Node 24 or newer; this is Node ${process.versions.node} (${process.execPath})\n`)
  process.exitCode = 1
} else {
  await import('./causeway.ts')
}
