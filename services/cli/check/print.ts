import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { oneLine } from '../objects/one-line.ts'
import type { CheckLine, Level } from './line.ts'

const WORDS: Readonly<Record<Level, string>> = { ok: 'ok', warning: 'warning', failed: 'FAILED' }
const WIDTH = 'warning'.length

/** Prints the lines below their categories, and a last one that counts. Fails when one of them failed. */
export function printCheck(lines: readonly CheckLine[], json: boolean, host: CliHost): ExitCode {
  const count = (level: Level) => lines.filter((line) => line.level === level).length
  const counts = { ok: count('ok'), warning: count('warning'), failed: count('failed') }
  host.writeOut(json ? `${JSON.stringify({ lines, counts })}\n` : textOf(lines, counts))
  return counts.failed === 0 ? EXIT.ok : EXIT.failed
}

function textOf(lines: readonly CheckLine[], counts: Readonly<Record<Level, number>>): string {
  let text = ''
  let category: string | undefined
  for (const line of lines) {
    if (line.category !== category) text += `${category === undefined ? '' : '\n'}${line.category}\n`
    category = line.category
    text += `  ${WORDS[line.level].padEnd(WIDTH)}  ${oneLine(line.message)}\n`
    if (line.hint !== undefined) text += `  ${' '.repeat(WIDTH)}  ${oneLine(line.hint)}\n`
  }
  const warnings = `${counts.warning} warning${counts.warning === 1 ? '' : 's'}`
  return `${text}\n${counts.failed} failed, ${warnings}, ${counts.ok} ok\n`
}
