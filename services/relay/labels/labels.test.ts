import { EFFECT, scanMessage } from '@causeway/npamp'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import type { CallReply } from '../exchanges/contract.ts'
import type { FactScope } from '../exchanges/tool-facts.ts'
import { Labels } from './labels.ts'

const READ = { readOnlyHint: true }
const WRITE = { readOnlyHint: false, destructiveHint: false }
const mine: FactScope = { target: 'backend/default/a', context: 'session:aa', trustAnnotations: true }

describe('labels of tools/call', () => {
  it(`${requirement('MCP-034')} are destructive until a list named the tool`, () => {
    const { labels, unknown } = started()
    expect(labels.effectOf(call('a'), 'tools/call', mine)).toBe(EFFECT.DESTRUCTIVE)
    list(labels, mine, [['a', READ]])
    expect(labels.effectOf(call('a'), 'tools/call', mine)).toBe(EFFECT.READ_ONLY)
    expect(labels.effectOf(call('b'), 'tools/call', mine)).toBe(EFFECT.DESTRUCTIVE)
    expect(unknown()).toBe(2)
  })

  it(`${requirement('MCP-047')} know only what passed for the same target, session and principal`, () => {
    const { labels } = started()
    const modern: FactScope = { ...mine, context: 'principal:anonymous' }
    list(labels, mine, [['a', READ]])
    list(labels, modern, [['b', READ]])
    for (const other of [
      { ...mine, context: 'session:bb' },
      { ...mine, target: 'backend/default/b' },
      { ...modern, context: 'principal:somebody' },
    ]) {
      for (const tool of ['a', 'b']) {
        expect(labels.effectOf(call(tool), 'tools/call', other)).toBe(EFFECT.DESTRUCTIVE)
      }
    }
    expect(labels.effectOf(call('b'), 'tools/call', modern)).toBe(EFFECT.READ_ONLY)
    expect(labels.effectOf(call('b'), 'tools/call', mine)).toBe(EFFECT.DESTRUCTIVE)
  })

  it(`${requirement('RLY-018')} another server behind a target: nothing of the one before is true any more, nor what it still says`, () => {
    const { labels } = started()
    const other: FactScope = { ...mine, target: 'backend/default/other' }
    list(labels, mine, [['a', READ]])
    list(labels, other, [['a', READ]])
    const late = labels.listing(listRequest(), mine)
    labels.forgetTargets(new Set(['backend/default/a']))
    expect([effects(labels, mine, 'a'), effects(labels, other, 'a')]).toEqual([[3], [0]])
    late(listResult([['b', READ]]))
    expect(effects(labels, mine, 'b')).toEqual([3])
    list(labels, mine, [['a', READ]])
    expect(effects(labels, mine, 'a')).toEqual([0])
  })

  it('of targets that changed, so many are remembered; lists that were asked for before teach nothing then', () => {
    const { labels } = started()
    const other: FactScope = { ...mine, target: 'backend/default/other' }
    list(labels, other, [['a', READ]])
    const [late, unchanged] = [labels.listing(listRequest(), mine), labels.listing(listRequest(), other)]
    labels.forgetTargets(new Set(['backend/default/a']))
    for (let n = 0; n < 10_000; n++) labels.forgetTargets(new Set([`backend/default/gone${n}`]))
    for (const answered of [late, unchanged]) answered(listResult([['b', READ]]))
    expect([effects(labels, mine, 'b'), effects(labels, other, 'a', 'b')]).toEqual([[3], [0, 3]])
    list(labels, other, [['b', READ]])
    expect(effects(labels, other, 'b')).toEqual([0])
  })

  it('a newer list replaces the one before, and pages count as they come', () => {
    const { labels } = started()
    list(labels, mine, [
      ['a', READ],
      ['b', READ],
    ])
    list(labels, mine, [['a', WRITE]], { nextCursor: '2' })
    expect(effects(labels, mine, 'a', 'b', 'c')).toEqual([2, 0, 3])
    list(labels, mine, [['c', READ]], {}, '2')
    expect(effects(labels, mine, 'a', 'b', 'c')).toEqual([2, 3, 0])
  })

  it('pages and entries that disagree: the higher effect holds', () => {
    const { labels } = started()
    list(labels, mine, [['a', WRITE]], { nextCursor: '' })
    list(
      labels,
      mine,
      [
        ['a', READ],
        ['b', READ],
        ['b', WRITE],
      ],
      {},
      '',
    )
    expect(effects(labels, mine, 'a', 'b')).toEqual([2, 2])
  })

  it('list_changed forgets, and a list that was asked for before it teaches nothing', () => {
    const { labels } = started()
    list(labels, mine, [['a', READ]])
    const late = labels.listing(listRequest(), mine)
    labels.listChanged(mine)
    expect(effects(labels, mine, 'a')).toEqual([3])
    late(listResult([['a', READ]]))
    expect(effects(labels, mine, 'a')).toEqual([3])
    list(labels, mine, [['a', READ]])
    expect(effects(labels, mine, 'a')).toEqual([0])
  })

  it('a target whose annotations are not trusted lowers nothing', () => {
    const { labels } = started()
    list(labels, mine, [['a', READ]])
    expect(labels.effectOf(call('a'), 'tools/call', { ...mine, trustAnnotations: false })).toBe(EFFECT.DESTRUCTIVE)
  })

  it('the end of a session forgets what was said in it', () => {
    const { labels } = started()
    list(labels, mine, [['a', READ]])
    labels.forget(mine)
    expect(labels.scopes).toBe(0)
    expect(effects(labels, mine, 'a')).toEqual([3])
  })

  it('beyond the bound the scope that was used longest ago is forgotten', () => {
    const { labels } = started(4)
    const sessions = ['1', '2', '3'].map((context) => ({ ...mine, context }))
    const [one, two, three] = sessions as [FactScope, FactScope, FactScope]
    list(labels, one, [
      ['a', READ],
      ['b', READ],
    ])
    list(labels, two, [
      ['a', READ],
      ['b', READ],
    ])
    expect(effects(labels, one, 'a')).toEqual([0])
    list(labels, three, [['a', READ]])
    expect([one, two, three].map((scope) => effects(labels, scope, 'a')[0])).toEqual([0, 3, 0])
  })

  it('a tool that is read only and destructive is told about, and is read only', () => {
    const { labels, contradictions } = started()
    list(labels, mine, [['a', { readOnlyHint: true, destructiveHint: true }]])
    expect(contradictions()).toBe(1)
    expect(effects(labels, mine, 'a')).toEqual([0])
  })

  it('other methods have the effect of their method', () => {
    const { labels, unknown } = started()
    expect(labels.effectOf(listRequest(), 'tools/list', mine)).toBe(EFFECT.READ_ONLY)
    expect(unknown()).toBe(0)
  })
})

function started(maxTools = 1_000) {
  let unknown = 0
  let contradictions = 0
  const labels = new Labels({
    maxTools,
    onUnknownTool: () => (unknown += 1),
    onContradiction: () => (contradictions += 1),
  })
  return { labels, unknown: () => unknown, contradictions: () => contradictions }
}

type Tool = readonly [name: string, annotations: object]

function list(labels: Labels, scope: FactScope, tools: readonly Tool[], rest: object = {}, cursor?: string): void {
  labels.listing(listRequest(cursor), scope)(listResult(tools, rest))
}

function listResult(tools: readonly Tool[], rest: object = {}): CallReply {
  const listed = tools.map(([name, annotations]) => ({ name, inputSchema: { type: 'object' }, annotations }))
  const scanned = message({ id: 1, result: { tools: listed, ...rest } })
  return { kind: 'result', octets: scanned.text, message: scanned, status: 200, parameters: new Map() }
}

function listRequest(cursor?: string) {
  return message({ id: 1, method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) })
}

function call(name: string) {
  return message({ id: 2, method: 'tools/call', params: { name, arguments: {} } })
}

function effects(labels: Labels, scope: FactScope, ...tools: readonly string[]): number[] {
  return tools.map((tool) => labels.effectOf(call(tool), 'tools/call', scope))
}

function message(members: object) {
  return scanMessage(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...members })))
}
