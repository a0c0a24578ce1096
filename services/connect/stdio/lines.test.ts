import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { LineWriter } from './line-writer.mjs'
import { LineReader } from './lines.mjs'

async function lines(input: PassThrough, max = 10): Promise<(string | undefined)[]> {
  const found = []
  for await (const line of new LineReader(input, max, () => {})) found.push(line?.toString())
  return found
}

it('reads lines however they are cut, without blank ones, the last one also without its end', async () => {
  const octets = Buffer.from('{"ä":1}\r\n\n  \n{}\n[]')
  for (let cut = 0; cut <= octets.length; cut++) {
    const input = new PassThrough()
    const found = lines(input)
    input.write(octets.subarray(0, cut))
    input.end(octets.subarray(cut))
    expect(await found).toEqual(['{"ä":1}', '{}', '[]'])
  }
})

it('tells of a line that is too long, and goes on with the next', async () => {
  const input = new PassThrough()
  input.write('x'.repeat(8))
  input.end(`${'x'.repeat(8)}\nok\n${'y'.repeat(11)}`)
  expect(await lines(input)).toEqual([undefined, 'ok', undefined])
})

it('stops reading while too much waits, and still sees the end', async () => {
  const input = new PassThrough({ highWaterMark: 4 })
  const ended = Promise.withResolvers<void>()
  const reader = new LineReader(input, 10, ended.resolve)
  for (let line = 0; line < 20; line++) input.write('12345678\n')
  input.end()
  await new Promise(setImmediate)
  expect(input.isPaused()).toBe(true)
  let count = 0
  for await (const line of reader) count += line?.toString() === '12345678' ? 1 : 0
  expect(count).toBe(20)
  await ended.promise
})

it('writes one line a message, and says when nobody reads any more', async () => {
  const output = new PassThrough()
  let gone = 0
  const writer = new LineWriter(output, () => gone++)
  await writer.write(Buffer.from('{\r\n "a": "\\n"\n}'))
  expect(String(output.read())).toBe('{   "a": "\\n" }\n')

  const full = writer.write(Buffer.alloc(100_000, 0x20))
  output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  await full
  await writer.write(Buffer.from('{}'))
  expect(gone).toBe(1)
})
