/**
 * `npm run cluster -- COMMAND [--level api|node]`: a Kubernetes to play with, the one that the tests use. README.md says how.
 *
 * Exit code 0: done; 1: it failed; 2: a command or option that there is not.
 */
import { parseArgs } from 'node:util'
import { refuseOptions } from '../tools/options.ts'
import { COMMANDS } from './developer/commands.ts'
import { LEVELS } from './developer/state.ts'

const USAGE = `npm run [--silent] cluster -- ${Object.keys(COMMANDS).join('|')} [--level ${LEVELS.join('|')}] [FILE]`

const { command, level, argument } = readArguments()
try {
  console.log(await command(level, argument))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function readArguments() {
  const { values, positionals } = parse()
  const [name = '', argument] = positionals
  const level = LEVELS.find((one) => one === (values.level ?? (name === 'load' ? 'node' : 'api')))
  if (!Object.hasOwn(COMMANDS, name)) return refuseOptions(`there is no command ${JSON.stringify(name)}`, USAGE)
  if (level === undefined) return refuseOptions(`there is no level ${JSON.stringify(values.level)}`, USAGE)
  return { command: COMMANDS[name as keyof typeof COMMANDS], level, argument }
}

function parse() {
  try {
    return parseArgs({ options: { level: { type: 'string' } }, allowPositionals: true })
  } catch (error) {
    return refuseOptions(error instanceof Error ? error.message : String(error), USAGE)
  }
}
