export { connect } from './connect.mjs'
export { runHere } from './process.mjs'
