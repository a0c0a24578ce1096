import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spelledNumber, spelledString } from '../../../../test/fixtures/npamp/json-spelling.ts'
import { EFFECT } from '../../bridge/contract.ts'
import { sameId } from '../../bridge/jsonrpc/id.ts'
import { scanMessage } from '../../bridge/jsonrpc/scan.ts'
import { effectiveEffect } from '../../bridge/safety-label.ts'
import { CANCELLED_METHOD, cancelledNotification, cancelledRequestId } from './cancelled.ts'
import { effectOf, MCP_NOTIFICATIONS, MCP_REQUESTS, mcpRequest, unlabelledEffectOf } from './effects.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

/** Digest 06 section 3.1: what a receiver may take for read_only without a label. */
const READ_ONLY_LIST = [
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'roots/list',
  'tasks/get',
  'tasks/result',
  'tasks/list',
]

describe('the effect of an MCP method', () => {
  it.each(READ_ONLY_LIST)(`${requirement('MCP-026')} %s is read_only and may go without a label`, (method) => {
    expect(effectOf(method)).toBe(EFFECT.READ_ONLY)
    expect(effectiveEffect(undefined, unlabelledEffectOf(method))).toBe(EFFECT.READ_ONLY)
  })

  it.each(['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'])(
    `${requirement('MCP-027')} %s is idempotent_write`,
    (method) => {
      expect(effectOf(method)).toBe(EFFECT.IDEMPOTENT_WRITE)
      expect(mcpRequest(method)?.label).toBe('should')
    },
  )

  it(`${requirement('MCP-028')} tasks/cancel is at least idempotent_write and always labelled`, () => {
    expect(effectOf('tasks/cancel')).toBeGreaterThanOrEqual(EFFECT.IDEMPOTENT_WRITE)
    expect(mcpRequest('tasks/cancel')?.label).toBe('must')
  })

  it.each(['sampling/createMessage', 'elicitation/create'])(
    `${requirement('MCP-029')} %s, which a server sends, is non_idempotent_write`,
    (method) => {
      expect(effectOf(method)).toBe(EFFECT.NON_IDEMPOTENT_WRITE)
      expect(mcpRequest(method)).toMatchObject({ direction: 'toClient', label: 'must' })
    },
  )

  it(`${requirement('MCP-034')} tools/call is destructive as long as nobody's annotations are known`, () => {
    expect(effectOf('tools/call')).toBe(EFFECT.DESTRUCTIVE)
  })

  it(`${requirement('MCP-040')} server/discover is read_only and must say so: no mapping lists it`, () => {
    expect(effectOf('server/discover')).toBe(EFFECT.READ_ONLY)
    expect(mcpRequest('server/discover')?.label).toBe('must')
    expect(effectiveEffect(undefined, unlabelledEffectOf('server/discover'))).toBe(EFFECT.DESTRUCTIVE)
  })

  it(`${requirement('MCP-041')} subscriptions/listen is idempotent_write and always labelled`, () => {
    expect(effectOf('subscriptions/listen')).toBe(EFFECT.IDEMPOTENT_WRITE)
    expect(mcpRequest('subscriptions/listen')?.label).toBe('must')
  })

  it(`${requirement('MCP-042')} of a method that no table knows is destructive`, () => {
    for (const method of ['vendor/erase', '', 'constructor', '__proto__', 'Tools/list', 'tools/list '])
      expect(effectOf(method)).toBe(EFFECT.DESTRUCTIVE)
  })

  it(`${requirement('MCP-025')} without a label is destructive for everything outside the read_only list`, () => {
    const others = MCP_REQUESTS.map((row) => row.method).filter((method) => !READ_ONLY_LIST.includes(method))
    expect(others).toHaveLength(9)
    for (const method of [...others, 'vendor/erase'])
      expect(effectiveEffect(undefined, unlabelledEffectOf(method))).toBe(EFFECT.DESTRUCTIVE)
  })

  it(`${requirement('MCP-037')} that a label declares is an input to a decision and hides nothing from it`, () => {
    expect(effectiveEffect({ effect: EFFECT.READ_ONLY, scope: '' }, effectOf('tools/call'))).toBe(EFFECT.READ_ONLY)
    expect(effectOf('tools/call')).toBe(EFFECT.DESTRUCTIVE)
  })

  it('stands once in the table, as do the notifications', () => {
    expect(new Set(MCP_REQUESTS.map((row) => row.method)).size).toBe(22)
    expect(MCP_NOTIFICATIONS.size).toBe(12)
    expect(MCP_NOTIFICATIONS.get('notifications/cancelled')).toBe('both')
    for (const method of MCP_NOTIFICATIONS.keys()) expect(mcpRequest(method)).toBeUndefined()
  })
})

describe('the cancel that a relay writes', () => {
  it('has the form of CARRIAGE section 5, with the id as its client wrote it', () => {
    expect(new TextDecoder().decode(cancelledNotification(utf8('"\\u0061"')))).toBe(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\u0061"}}',
    )
  })

  it('is a notification that names the same id, for any id', () => {
    fc.assert(
      fc.property(fc.oneof(spelledNumber(), spelledString()), (id) => {
        const message = scanMessage(cancelledNotification(utf8(id)))
        expect([message.shape, message.method]).toEqual(['notification', CANCELLED_METHOD])
        const named = cancelledRequestId(message)
        expect(named && sameId(named, utf8(id))).toBe(true)
      }),
    )
  })

  it.each(['{}', '{"requestId":null}', '{"requestId":{}}', '{"requestId":[1]}', '{"requestId":true}', '[1]', '7'])(
    'names nothing where its params are %s',
    (params) => {
      const text = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`
      expect(cancelledRequestId(scanMessage(utf8(text)))).toBeUndefined()
    },
  )

  it('names nothing without params', () => {
    expect(
      cancelledRequestId(scanMessage(utf8('{"jsonrpc":"2.0","method":"notifications/cancelled"}'))),
    ).toBeUndefined()
  })
})
