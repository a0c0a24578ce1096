import { beforeEach, describe, expect, it } from 'vitest'
import { concatOctets } from '../../wire/octets.ts'
import type { Transport } from '../contract.ts'
import { memoryPair } from './pair.ts'

const octets = (length: number, fill = 0) => new Uint8Array(length).fill(fill)

let deferred: (() => void)[]
const settle = () => {
  for (let work = deferred.shift(); work !== undefined; work = deferred.shift()) work()
}

class Ear {
  readonly heard: Uint8Array[] = []
  readonly log: string[] = []
  listen(transport: Transport): this {
    transport.start({
      onOctets: (piece) => {
        this.heard.push(piece)
        this.log.push(`octets ${piece.length}`)
      },
      onWritable: () => this.log.push('writable'),
      onEnd: (clean) => this.log.push(clean ? 'end' : 'lost'),
    })
    return this
  }
}

let a: Transport
let b: Transport
beforeEach(() => {
  deferred = []
  const pair = memoryPair({ highWaterOctets: 100, defer: (work) => void deferred.push(work) })
  a = pair[0]
  b = pair[1]
})

describe('memoryPair', () => {
  it('delivers writes whole and in order, outside the call of the writer', () => {
    const ear = new Ear().listen(b)
    expect(a.write([octets(1, 1), octets(2, 2)])).toBe(true)
    expect(ear.heard).toEqual([])
    a.write([octets(3, 3)])
    settle()
    expect(ear.heard).toEqual([concatOctets([octets(1, 1), octets(2, 2)]), octets(3, 3)])
  })

  it('keeps what came before the receiver', () => {
    a.write([octets(4)])
    settle()
    expect(new Ear().listen(b).log).toEqual(['octets 4'])
  })

  it('asks the writer to wait at the high-water mark, and tells when it may go on', () => {
    const writer = new Ear().listen(a)
    const reader = new Ear().listen(b)
    b.pauseReading()
    expect(a.write([octets(99)])).toBe(true)
    expect(a.write([octets(1)])).toBe(false)
    settle()
    expect([...writer.log, ...reader.log]).toEqual([])
    b.resumeReading()
    settle()
    expect(reader.log).toEqual(['octets 99', 'octets 1'])
    expect(writer.log).toEqual(['writable'])
  })

  it('ends each side once, after what was written', () => {
    const near = new Ear().listen(a)
    const far = new Ear().listen(b)
    a.write([octets(5)])
    a.end()
    a.end()
    settle()
    expect(far.log).toEqual(['octets 5', 'end'])
    b.write([octets(6)])
    b.end()
    settle()
    expect(near.log).toEqual(['octets 6', 'end'])
    a.destroy()
    b.destroy()
    settle()
    expect([near.log, far.log]).toEqual([
      ['octets 6', 'end'],
      ['octets 5', 'end'],
    ])
  })

  it('sends nothing after its end', () => {
    const far = new Ear().listen(b)
    a.end()
    a.write([octets(1)])
    settle()
    expect(far.log).toEqual(['end'])
  })

  it('is lost on both sides when one destroys it', () => {
    const near = new Ear().listen(a)
    const far = new Ear().listen(b)
    a.write([octets(5)])
    a.destroy()
    settle()
    expect([near.log, far.log]).toEqual([['lost'], ['lost']])
  })

  it('is lost even for a paused reader', () => {
    const far = new Ear().listen(b)
    b.pauseReading()
    a.write([octets(5)])
    a.destroy()
    settle()
    expect(far.log).toEqual(['lost'])
  })

  it('does not end a paused reader before it has read', () => {
    const far = new Ear().listen(b)
    b.pauseReading()
    a.write([octets(5)])
    a.end()
    settle()
    expect(far.log).toEqual([])
    b.resumeReading()
    settle()
    expect(far.log).toEqual(['octets 5', 'end'])
  })
})
