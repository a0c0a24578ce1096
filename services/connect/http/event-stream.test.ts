import { describe, expect, it } from 'vitest'
import { BodyError, readEvents } from './event-stream.mjs'

async function* chunks(...pieces: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece)
}

async function events(source: AsyncIterable<Buffer>, max = 1_000) {
  const found = []
  for await (const { data, ...rest } of readEvents(source, max)) found.push({ ...rest, data: data.toString() })
  return found
}

const STREAM = `\ufeff: hello
id: 7
data: {"a":

event: message
retry: 250
data:{"b":"é"}
data: 2

event: ping
data: x

id
data: last

`

describe('an event stream', () => {
  const expected = [
    { lastEventId: '7', retryMs: undefined, data: '{"a":' },
    { lastEventId: '7', retryMs: 250, data: '{"b":"é"}\n2' },
    { lastEventId: '7', retryMs: undefined, data: '' },
    { lastEventId: '', retryMs: undefined, data: 'last' },
  ]

  it.each(['\n', '\r', '\r\n'])('with line ends %j reads the same, cut anywhere', async (end) => {
    const octets = Buffer.from(STREAM.replaceAll('\n', end))
    for (let cut = 0; cut <= octets.length; cut++)
      expect(await events(chunks(octets.subarray(0, cut), octets.subarray(cut)))).toEqual(expected)
  })

  it('drops an event that the end cut off', async () => {
    expect(await events(chunks('data: 1\n\ndata: 2\n'))).toHaveLength(1)
  })

  it('an id that no header can carry is none', async () => {
    expect(await events(chunks('id: a\u0001b\ndata: 1\n\n'))).toMatchObject([{ lastEventId: undefined }])
  })

  it('refuses an event above the limit before it is whole', async () => {
    await expect(events(chunks('data: ', 'x'.repeat(1_200)))).rejects.toThrow(BodyError)
    await expect(events(chunks(`data: ${'x'.repeat(600)}\n`.repeat(2)))).rejects.toThrow(BodyError)
  })
})
