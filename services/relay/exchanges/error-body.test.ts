import { OUTCOME } from '@causeway/npamp'
import { describe, expect, it } from 'vitest'
import { failureBody, idInUseBody } from './error-body.ts'

describe('what a server hears instead of an answer', () => {
  it('names the failure as the edge would, under the id as it was written', () => {
    const failure = { code: 'SessionLost', outcome: OUTCOME.SESSION_LOST, message: 'gone', hint: 'again' } as const
    expect(Buffer.from(failureBody(Buffer.from('1.0e0'), failure)).toString()).toBe(
      '{"jsonrpc":"2.0","id":1.0e0,"error":{"code":-33110,"message":"gone",' +
        '"data":{"causeway":{"code":"SessionLost","delivery":"unknown","hint":"again"}}}}',
    )
  })

  it('says that nothing was sent where that is so', () => {
    const failure = { code: 'QuotaExceeded', outcome: OUTCOME.NOT_DELIVERED, message: 'no' } as const
    const body: unknown = JSON.parse(Buffer.from(failureBody(Buffer.from('"a"'), failure)).toString())
    expect(body).toMatchObject({ id: 'a', error: { code: -33113, data: { causeway: { delivery: 'not_sent' } } } })
  })

  it('refuses an id in use as an invalid request', () => {
    const body: unknown = JSON.parse(Buffer.from(idInUseBody(Buffer.from('7'))).toString())
    expect(body).toMatchObject({ id: 7, error: { code: -32600, data: { causeway: { code: 'InvalidRequest' } } } })
  })
})
