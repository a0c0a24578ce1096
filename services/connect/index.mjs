/** @typedef {import('./contract.ts').ConnectOptions} ConnectOptions */

export { connect, problemOf } from './connect.mjs'
export { runHere } from './process.mjs'
