import { expect, it } from 'vitest'
import { createLogger, type LoggerOptions } from './logger.ts'

function capture(options: Omit<LoggerOptions, 'destination'> = {}) {
  const lines: string[] = []
  const logger = createLogger({ ...options, destination: { write: (line) => lines.push(line) } })
  return { logger, lines, objects: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

it('writes one JSON object a line: level, time, fields, message', () => {
  const { logger, lines, objects } = capture({ fields: { relay: 'default/edge' } })
  logger.child({ peer: 'default/tools' }).warn({ attempt: 2, text: 'two\nlines' }, 'dial failed')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^[^\n]+\n$/)
  const [line] = objects()
  expect(line).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    relay: 'default/edge',
    peer: 'default/tools',
    attempt: 2,
    text: 'two\nlines',
    msg: 'dial failed',
  })
})

it('leaves out what is below its level', () => {
  const { logger, objects } = capture({ level: 'warn' })
  logger.debug({}, 'a')
  logger.info({}, 'b')
  logger.warn({}, 'c')
  logger.error({}, 'd')
  expect(objects().map(({ msg }) => msg)).toEqual(['c', 'd'])
  const silent = capture({ level: 'silent' })
  silent.logger.fatal({}, 'nothing')
  expect(silent.lines).toEqual([])
})

it('secrets print as [redacted], at the top, in headers and one level down', () => {
  const { logger, lines } = capture()
  logger.info(
    {
      authorization: 'Bearer hunter2',
      password: 'hunter2',
      headers: { cookie: 'hunter2', 'mcp-session-id': 'hunter2', accept: 'text/plain' },
      request: { token: 'hunter2', headers: { authorization: 'hunter2' } },
      key: { privateKey: 'hunter2', algorithm: 'Ed25519' },
    },
    'request',
  )
  expect(lines.join()).not.toContain('hunter2')
  expect(lines.join()).toContain('"accept":"text/plain"')
  expect(lines.join().match(/\[redacted\]/g)).toHaveLength(7)
})

it('an Error keeps its message and stack', () => {
  const { logger, objects } = capture()
  logger.error({ err: new RangeError('too far') }, 'failed')
  expect(objects()[0]?.err).toMatchObject({
    type: 'RangeError',
    message: 'too far',
    stack: expect.stringContaining('too far'),
  })
})
