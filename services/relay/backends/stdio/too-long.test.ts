import { describe, expect, it } from 'vitest'
import { tooLongAnswer } from './too-long.ts'

const big = `{"x":"${'y'.repeat(2_000)}"}`
const judge = (text: string) => {
  const octets = Buffer.from(text)
  return tooLongAnswer({
    kind: 'tooLong',
    length: octets.length,
    head: octets.subarray(0, 512),
    tail: octets.subarray(-512),
  })
}

describe('a line that was too long to be kept', () => {
  it.each([
    [`{"jsonrpc":"2.0","id":5,"result":${big}}`, 'n5e0'],
    [`{ "jsonrpc" : "2.0" , "id" : "a b" , "result" : ${big} }`, 'sa b'],
    [`{"id":-1.50,"jsonrpc":"2.0","result":${big}}`, 'n-15e-1'],
    [`{"result":${big},"jsonrpc":"2.0","id":5}`, 'n5e0'],
    [`{"jsonrpc":"2.0","result":${big},"id":"é"}`, 'sé'],
    [`{"result":${big},"id":7,"jsonrpc":"2.0"}`, 'n7e0'],
  ])('is the answer to the id at one of its ends', (text, key) => {
    expect(judge(text)).toEqual({ key })
  })

  it.each([
    `{"method":"notifications/x","params":${big},"jsonrpc":"2.0"}`,
    `{"jsonrpc":"2.0","method":"sampling/createMessage","params":${big},"id":3}`,
    `{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":${big}}`,
  ])('is no answer where it has a method', (text) => {
    expect(judge(text)).toBe('noAnswer')
  })

  it.each([
    `{"result":${big},"id":"a\\"b"}`,
    `{"result":${big},"id":5,"extra":1}`,
    `{"result":{"id":5,"x":"${'y'.repeat(2_000)}"}}`,
    `{"result":${big},"id":1.}`,
    'x'.repeat(2_000),
  ])('is of nobody known where no end tells', (text) => {
    expect(judge(text)).toBe('untold')
  })
})
