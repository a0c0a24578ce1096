/** @typedef {import('./contract.ts').ConnectOptions} ConnectOptions */

export { connect } from './connect.mjs'
export { runHere } from './process.mjs'
