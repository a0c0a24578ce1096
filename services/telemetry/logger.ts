import { pino, stdTimeFunctions } from 'pino'

/** What a log line carries besides its message: numbers, strings, flat objects; `err` for an Error. */
export type LogFields = Readonly<Record<string, unknown>>

/** A writer of JSON lines. The message is a sentence for a person; everything that varies stands in the fields. */
export interface Logger {
  trace(fields: LogFields, message: string): void
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  fatal(fields: LogFields, message: string): void
  /** Whether lines of this level are written: for those whose fields cost something to gather. */
  isLevelEnabled(level: LogLevel): boolean
  /** A logger whose every line carries these fields too. */
  child(fields: LogFields): Logger
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel
  /** Fields of every line. */
  readonly fields?: LogFields
  /** Takes whole lines, newline included. Default: standard output, written at once. */
  readonly destination?: { write(line: string): void }
}

/**
 * One JSON object a line: `level` as a word, `time` as RFC 3339 in UTC, the fields, `msg`. Fields that could hold a
 * credential are written as `[redacted]`, at the top and one level down, in whatever case they usually come.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  return pino(
    {
      level: options.level ?? 'info',
      base: options.fields === undefined ? null : { ...options.fields },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    },
    options.destination ?? pino.destination({ dest: 1, sync: true }),
  )
}

const SECRET_FIELDS = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'mcp-session-id',
  'password',
  'passphrase',
  'secret',
  'token',
  'apiKey',
  'privateKey',
] as const

const REDACTED_PATHS = SECRET_FIELDS.flatMap((field) => {
  const quoted = `["${field}"]`
  return [quoted, `*${quoted}`, `headers${quoted}`, `*.headers${quoted}`]
})
