#!/usr/bin/env node
// This package is plain JavaScript, as desktop hosts bring whatever Node they have; an older one shall say so itself.
const [major = 0] = process.versions.node.split('.').map(Number)

if (major < 20) {
  process.stderr.write(
    `causeway-connect needs Node 20 or newer; this is Node ${process.versions.node} (${process.execPath})\n`,
  )
  process.exitCode = 1
} else {
  await import('./command.mjs')
}
