import { describe, expect, it } from 'vitest'
import { Inbox } from './inbox.ts'
import type { JsonRpcMessage } from './transport.ts'

const note: JsonRpcMessage = { jsonrpc: '2.0', method: 'notifications/progress' }
const answer: JsonRpcMessage = { jsonrpc: '2.0', id: 1, result: {} }
const turn = () => new Promise((resolve) => setImmediate(resolve))

function inbox() {
  const seen: (JsonRpcMessage | 'end')[] = []
  return { seen, inbox: new Inbox({ deliver: (message) => seen.push(message), onEnd: () => seen.push('end') }) }
}

describe('Inbox', () => {
  it('holds everything until it is started, in order', () => {
    const { inbox: box, seen } = inbox()
    box.push(answer)
    box.push(note)
    expect([seen.length, box.early]).toEqual([0, 2])
    box.start()
    expect(seen).toEqual([answer, note])
  })

  it('gives an answer in a later turn than the notifications before it, and what follows after that', async () => {
    const { inbox: box, seen } = inbox()
    box.start()
    for (const message of [note, note, answer, note]) box.push(message)
    box.end()
    expect(seen).toEqual([note, note])
    await turn()
    expect(seen).toEqual([note, note, answer, note, 'end'])
  })

  it('gives answers at once where no notification came before', () => {
    const { inbox: box, seen } = inbox()
    box.start()
    box.push(answer)
    box.push(answer)
    expect(seen).toEqual([answer, answer])
  })

  it('ends once, at once where nobody has started it, and takes nothing more', async () => {
    const { inbox: box, seen } = inbox()
    box.push(note)
    box.end()
    box.end()
    box.push(note)
    await turn()
    expect(seen).toEqual(['end'])
  })

  it('keeps the order of what comes while it delivers', () => {
    const seen: unknown[] = []
    const box: Inbox = new Inbox({
      deliver: (message) => {
        if (seen.length === 0) box.push({ ...answer, id: 2 })
        seen.push(message.id)
      },
      onEnd: () => {},
    })
    box.start()
    box.push(answer)
    expect(seen).toEqual([1, 2])
  })
})
