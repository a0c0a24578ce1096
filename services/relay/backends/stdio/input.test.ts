import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Input } from './input.ts'

/** A pipe that takes what it is given when the test says so. */
class Pipe extends Writable {
  readonly taken: string[] = []
  #take: (() => void) | undefined

  constructor() {
    super({ highWaterMark: 4 })
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#hold(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#hold(chunk, done)
  }

  async take(): Promise<void> {
    const take = this.#take
    this.#take = undefined
    take?.()
    await new Promise(setImmediate)
  }

  #hold(octets: Buffer, done: () => void): void {
    this.#take = () => {
      this.taken.push(octets.toString())
      done()
    }
  }
}

function world(limits: Partial<ConstructorParameters<typeof Input>[0]> = {}) {
  const events: string[] = []
  let changed = 0
  const input = new Input({ maxMessages: 2, maxOctets: 100, ...limits }, (count) => {
    changed += count
  })
  const message = (text: string) => ({
    octets: Buffer.from(text),
    handed: () => events.push(`handed ${text}`),
    settled: () => events.push(`settled ${text}`),
  })
  return { input, pipe: new Pipe(), events, message, changed: () => changed }
}

describe('the standard input of a process', () => {
  it('is handed one message after the other, each when there is room for it', async () => {
    const { input, pipe, events, message } = world()
    expect([input.add(message('first')), input.add(message('second'))]).toEqual([true, true])
    expect(events).toEqual([])
    input.connect(pipe)
    expect(events).toEqual(['handed first'])
    await pipe.take()
    expect(events).toEqual(['handed first', 'handed second', 'settled first'])
    await pipe.take()
    expect(pipe.taken).toEqual(['first\n', 'second\n'])
  })

  it('lets no more wait than the limits say, but one message of any size', async () => {
    const { input, pipe, message } = world({ maxMessages: 3 })
    const add = (...texts: string[]) => texts.map((text) => input.add(message(text)))
    input.connect(pipe)
    expect(add('on its way')).toEqual([true])
    expect(add('x'.repeat(200), 'y')).toEqual([true, false])
    await pipe.take()
    expect(add('a', 'b', 'c', 'd')).toEqual([true, true, true, false])
    await pipe.take()
    expect(add('z'.repeat(100), 'e')).toEqual([false, true])
  })

  it('gives back what was not handed over', async () => {
    const { input, pipe, message } = world()
    input.connect(pipe)
    const [first, second] = [message('first'), message('second')]
    input.add(first)
    input.add(second)
    input.withdraw(first)
    input.withdraw(second)
    await pipe.take()
    await pipe.take()
    expect(pipe.taken).toEqual(['first\n'])
  })

  it('ends behind what waits, and takes nothing more', async () => {
    const { input, pipe, message } = world()
    input.connect(pipe)
    input.add(message('first'))
    input.add(message('second'))
    input.end()
    expect([input.isOpen, input.add(message('third')), pipe.writableEnded]).toEqual([false, false, false])
    await pipe.take()
    expect(pipe.writableEnded).toBe(true)
    await pipe.take()
    expect(pipe.taken).toEqual(['first\n', 'second\n'])
  })

  it('is one line a message: CR and LF are blanks there, and counted', async () => {
    const { input, pipe, message, changed } = world()
    input.connect(pipe)
    input.add(message('{"a":\r\n1}\n'))
    await pipe.take()
    expect(pipe.taken).toEqual(['{"a":  1} \n'])
    expect(changed()).toBe(3)
  })
})
