import { scanMessage } from '@causeway/npamp'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../test/fixtures/edge/virtual-clock.ts'
import { callRequest, modernBody } from '../../../../test/fixtures/http/http-backend-harness.ts'
import { EraOfServer } from './era.ts'

const discover = modernBody(1, 'server/discover')
const request = callRequest(discover, { era: 'modern' })
const other = callRequest(modernBody(2, 'tools/list'), { era: 'modern' })
const scan = (text: string) => scanMessage(Buffer.from(text))
const error = (code: number | string) => scan(`{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"m"}}`)
const result = scan('{"jsonrpc":"2.0","id":1,"result":{}}')

describe('the era of a server', () => {
  it.each([-32601, -32602, -32600, -32000, 1, '"text"'])('is legacy where discover fails with %s', (code) => {
    const era = new EraOfServer(new VirtualClock())
    expect(era.learn(request, scan(discover), error(code))).toMatchObject({ kind: 'error', status: 400 })
    expect(era.known).toBe('legacy')
    expect(era.refusalOf(other)).toMatchObject({ status: 400 })
    expect(era.refusalOf(request)).toBeUndefined()
  })

  it.each([-32020, -32021, -32022])('is modern where discover fails with %s, which the client gets', (code) => {
    const era = new EraOfServer(new VirtualClock())
    expect(era.learn(request, scan(discover), error(code))).toBeUndefined()
    expect(era.known).toBe('modern')
  })

  it('is not told by -32602 to a request that lacks what the modern era wants', () => {
    const era = new EraOfServer(new VirtualClock())
    const bad = discover.replace('clientCapabilities', 'clientCapabilitie')
    expect(era.learn(request, scan(bad), error(-32602))).toBeUndefined()
    expect(era.known).toBeUndefined()
  })

  it('is learnt anew, and forgotten after 10 minutes', () => {
    const clock = new VirtualClock()
    const era = new EraOfServer(clock)
    era.learn(request, scan(discover), error(-32601))
    clock.advance(10 * 60_000 - 1)
    expect(era.known).toBe('legacy')
    clock.advance(1)
    expect(era.known).toBeUndefined()
    era.learn(request, scan(discover), error(-32601))
    era.learn(request, scan(discover), result)
    expect(era.known).toBe('modern')
    expect(era.refusalOf(other)).toBeUndefined()
  })

  it('is not told by other methods', () => {
    const era = new EraOfServer(new VirtualClock())
    expect(era.learn(other, scan(discover), error(-32601))).toBeUndefined()
    expect(era.known).toBeUndefined()
  })
})
