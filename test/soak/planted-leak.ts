/** Loaded into a relay process: every session that its edge opens leaves 1 KiB behind, so that the soak is seen to notice. */
import { SessionTable } from '../../services/relay/sessions/session-table.ts'

const LEAK_OCTETS = 1024
const kept: number[][] = []

const { open } = SessionTable.prototype
SessionTable.prototype.open = function (...args) {
  // A number of an array that holds fractions takes 8 octets.
  kept.push(Array.from({ length: LEAK_OCTETS / 8 }, (_, at) => at + 0.5))
  return open.apply(this, args)
}
