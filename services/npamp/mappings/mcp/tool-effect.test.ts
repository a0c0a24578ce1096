import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { EFFECT } from '../../bridge/contract.ts'
import { scanMessage } from '../../bridge/jsonrpc/scan.ts'
import { utf8 } from '../../wire/utf8.ts'
import { isContradictory, toolEffect } from './tool-effect.ts'
import { calledTool, toolPageOf } from './tool-list.ts'

/** Digest 06 section 5.2: rows R and D, columns I; T, F and - for true, false and absent. */
const TABLE = [
  ['T', 'T', '00', '00', '00'],
  ['T', 'F', '00', '00', '00'],
  ['T', '-', '00', '00', '00'],
  ['F', 'T', '03', '03', '03'],
  ['F', 'F', '01', '02', '02'],
  ['F', '-', '03', '03', '03'],
  ['-', 'T', '03', '03', '03'],
  ['-', 'F', '03', '03', '03'],
  ['-', '-', '03', '03', '03'],
] as const
const COLUMNS = ['T', 'F', '-'] as const
const HINT = { T: true, F: false, '-': undefined }
const IDS = ['MCP-030', 'MCP-031', 'MCP-032', 'MCP-033', 'MCP-034', 'MCP-035'] as const

describe('the effect of a tool', () => {
  for (const [r, d, ...effects] of TABLE) {
    for (const [at, i] of COLUMNS.entries()) {
      const effect = Number(effects[at])
      it(`${IDS.map((id) => requirement(id)).join(' ')} read-only ${r}, destructive ${d}, idempotent ${i} is ${effect}`, () => {
        const page = pageOf([
          {
            name: 'x',
            annotations: { ...hint('readOnlyHint', r), ...hint('destructiveHint', d), ...hint('idempotentHint', i) },
          },
        ])
        expect(toolEffect(page?.tools[0]?.hints)).toBe(effect)
      })
    }
  }

  it(`${requirement('MCP-034')} is destructive where there are no annotations, or none that can be read`, () => {
    for (const tool of [
      { name: 'x' },
      { name: 'x', annotations: null },
      { name: 'x', annotations: [] },
      { name: 'x', annotations: {} },
    ]) {
      expect(toolEffect(pageOf([tool])?.tools[0]?.hints)).toBe(EFFECT.DESTRUCTIVE)
    }
  })

  it(`${requirement('MCP-034')} a hint that is no boolean is absent`, () => {
    for (const readOnlyHint of ['true', 1, null, {}, [true]]) {
      expect(
        toolEffect(pageOf([{ name: 'x', annotations: { readOnlyHint, destructiveHint: false } }])?.tools[0]?.hints),
      ).toBe(EFFECT.DESTRUCTIVE)
    }
  })

  it('read only and destructive at once is a contradiction', () => {
    const hints = { readOnly: true, destructive: true, idempotent: undefined }
    expect(isContradictory(hints)).toBe(true)
    expect(isContradictory({ ...hints, destructive: false })).toBe(false)
    expect(isContradictory(undefined)).toBe(false)
  })
})

describe('a page of tools', () => {
  it(`${requirement('MCP-045')} is the last one only where nextCursor is absent: an empty string is a cursor`, () => {
    expect(pageOf([], {})?.last).toBe(true)
    expect(pageOf([], { nextCursor: '' })?.last).toBe(false)
    expect(pageOf([], { nextCursor: 'x' })?.last).toBe(false)
    expect(pageOf([], { nextCursor: null })?.last).toBe(true)
  })

  it('leaves out what has no name', () => {
    expect(pageOf([{}, { name: 7 }, 'x', { name: 'y' }])?.tools.map(({ name }) => name)).toEqual(['y'])
  })

  it('is none where the message is no such result', () => {
    for (const text of [
      '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}',
      '{"jsonrpc":"2.0","id":1,"result":{"tools":{}}}',
      '{"jsonrpc":"2.0","id":1,"result":7}',
    ]) {
      expect(toolPageOf(scanMessage(utf8(text)))).toBeUndefined()
    }
  })
})

describe('the tool that is called', () => {
  it('is read by its decoded name', () => {
    expect(calledTool(call('{"name":"\\u0065cho"}'))).toBe('echo')
    expect(calledTool(call('{"name":7}'))).toBeUndefined()
    expect(calledTool(call('{}'))).toBeUndefined()
    expect(calledTool(call(`{"name":"${'x'.repeat(2000)}"}`))).toBeUndefined()
  })
})

function hint(name: string, mark: 'T' | 'F' | '-'): Record<string, boolean> {
  const value = HINT[mark]
  return value === undefined ? {} : { [name]: value }
}

function pageOf(tools: readonly unknown[], rest: Record<string, unknown> = {}) {
  return toolPageOf(scanMessage(utf8(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools, ...rest } }))))
}

function call(params: string) {
  return scanMessage(utf8(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`))
}
