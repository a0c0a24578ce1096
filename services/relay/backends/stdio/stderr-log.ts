import type { Readable } from 'node:stream'
import type { Logger } from '@causeway/telemetry'
import { LineLimit } from '../../pacing/line-limit.ts'
import type { BackendClock } from '../contract.ts'
import { type Line, LineReader } from './line-reader.ts'

/**
 * What a server writes to its standard error becomes lines of our log. It is read whatever there is of it, as a server
 * whose standard error is full stands still.
 */
export function logStderr(stderr: Readable, logger: Logger, clock: BackendClock): void {
  const reader = new LineReader(MAX_LINE_OCTETS)
  const limit = new LineLimit(
    clock,
    (count) => logger.info({ lines: count }, 'lines of standard error were left out of this log'),
    LINES_PER_SECOND,
  )
  const tell = () => {
    for (let line = reader.next(); line !== undefined; line = reader.next()) {
      if (limit.admit()) logger.info({ stderr: textOf(line) }, 'standard error of the server')
    }
  }
  stderr.on('data', (chunk: Buffer) => {
    reader.push(chunk)
    tell()
  })
  stderr.on('end', () => {
    reader.end()
    tell()
  })
  stderr.on('error', () => {})
}

function textOf(line: Line): string {
  if (line.kind === 'line') return Buffer.from(line.octets).toString()
  return `${Buffer.from(line.head).toString()}... (${line.length} octets)`
}

const MAX_LINE_OCTETS = 4 * 1024
const LINES_PER_SECOND = 100
