import { connect } from './connect.mjs'

/** @import { ConnectOptions } from './contract.ts' */

/**
 * `connect` on the streams and signals of this process; what ends the process is the caller's. `name` stands before what
 * is said on standard error.
 *
 * @param {Omit<ConnectOptions, 'env'>} options
 * @param {string} name
 * @returns {Promise<number>} the exit code
 */
export function runHere(options, name) {
  const stop = new AbortController()
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) process.on(signal, () => stop.abort())
  // Nobody need read what we say for the rest to go on.
  process.stderr.on('error', () => {})
  return connect(
    { ...options, env: process.env },
    {
      input: process.stdin,
      output: process.stdout,
      log: (line) => void process.stderr.write(`${name}: ${line}\n`),
      stop: stop.signal,
    },
  )
}
