/**
 * `npm run conformance:mcp`: the official MCP conformance suite, without a mesh and through two relays, for the revisions
 * 2025-11-25 and 2026-07-28, server and client scenarios.
 *
 *   --leg server|client  only these scenarios
 *   --write-list         writes what passes without a mesh to passing-direct.json
 *   --write-docs         writes the table to docs/conformance.md
 *
 * Exit code 0: everything that passes without a mesh passes through it, and the list is as it was; 1: something else;
 * 2: an option that there is not.
 */
import { readOptions, refuseOptions } from '../tools/options.ts'
import { clientRows, serverRows } from './columns.ts'
import { writeDocs } from './docs.ts'
import { passingDirectOf, readPassingDirect, writePassingDirect } from './passing-direct.ts'
import { textOf } from './table.ts'
import { faultsOf } from './verdict.ts'

const USAGE = 'npm run conformance:mcp [-- [--leg server|client] [--write-list] [--write-docs]]'
const options = readOptions(
  { leg: { type: 'string' }, 'write-list': { type: 'boolean' }, 'write-docs': { type: 'boolean' } },
  USAGE,
)
const { leg } = options
if (leg !== undefined && leg !== 'server' && leg !== 'client') refuseOptions(`no such leg: ${leg}`, USAGE)
const whole = leg === undefined
if (!whole && (options['write-list'] || options['write-docs'])) refuseOptions('only a whole run can be written', USAGE)

const rows = [...(leg === 'client' ? [] : await serverRows()), ...(leg === 'server' ? [] : await clientRows())]
console.log(textOf(rows))
if (options['write-list']) writePassingDirect(passingDirectOf(rows))
if (options['write-docs']) writeDocs(rows)

const committed = Object.entries(readPassingDirect()).filter(([group]) => whole || group.startsWith(leg))
const faults = faultsOf(rows, Object.fromEntries(committed))
console.log(faults.length === 0 ? '\nnothing is lost in the mesh' : `\n${faults.join('\n')}`)
process.exitCode = faults.length === 0 ? 0 : 1
