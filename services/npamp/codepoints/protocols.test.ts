import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { MisuseError } from '../errors.ts'
import {
  CARRIAGE_CLASS,
  carriageClassOf,
  checkCarriedProtocols,
  DEFAULT_PROTOCOLS,
  PROTOCOLS,
  protocolById,
  protocolByName,
  protocolRange,
} from './protocols.ts'

const EVERY_ID = Array.from({ length: 256 }, (_, id) => id)

describe('the protocol registry', () => {
  it(`${requirement('REG-001')} parts one octet into its four ranges`, () => {
    const ranges = EVERY_ID.map(protocolRange)
    expect(ranges[0]).toBe('null')
    expect(new Set(ranges.slice(0x01, 0x10))).toEqual(new Set(['specificationRequired']))
    expect(new Set(ranges.slice(0x10, 0x80))).toEqual(new Set(['experimental']))
    expect(new Set(ranges.slice(0x80))).toEqual(new Set(['privateUse']))
  })

  it(`${requirement('REG-003', 'REG-004')} keeps the assigned ids and reads each under its registered class`, () => {
    expect(PROTOCOLS.map((p) => [p.id, p.name, p.carriageClass, p.alsoCarries])).toEqual([
      [0x01, 'MCP', CARRIAGE_CLASS.JSONRPC, []],
      [0x02, 'A2A', CARRIAGE_CLASS.JSONRPC, [CARRIAGE_CLASS.DOC]],
      [0x03, 'HTTP/2', CARRIAGE_CLASS.HTTP, []],
      [0x04, 'WebSocket', CARRIAGE_CLASS.STREAM, []],
    ])
    for (const protocol of PROTOCOLS) expect(carriageClassOf(protocol.id)).toBe(protocol.carriageClass)
  })

  it(`${requirement('REG-013')} reads private-use ids under OPAQUE, and says nothing about free or experimental ones`, () => {
    for (const id of EVERY_ID.filter((one) => protocolRange(one) === 'privateUse'))
      expect(carriageClassOf(id)).toBe(CARRIAGE_CLASS.OPAQUE)
    for (const id of [0x00, 0x05, 0x0f, 0x10, 0x7f]) expect(carriageClassOf(id)).toBeUndefined()
  })

  it(`${requirement('REG-014')} assigns ids in 0x01 to 0x0F only, each once`, () => {
    for (const { id } of PROTOCOLS) expect(protocolRange(id)).toBe('specificationRequired')
    expect(new Set(PROTOCOLS.map((p) => p.id)).size).toBe(PROTOCOLS.length)
  })

  it('finds a protocol by name', () => {
    expect(protocolByName('mcp')?.id).toBe(0x01)
    expect(protocolByName('A2A')?.id).toBe(0x02)
    expect(protocolByName('gopher')).toBeUndefined()
  })
})

describe('what we mean to carry with a peer', () => {
  it(`${requirement('REG-010', 'REG-012')} has experimental and private ids only by agreement with that very peer`, () => {
    for (const id of [0x10, 0x7f, 0x80, 0xff]) {
      expect(() => checkCarriedProtocols([id])).toThrow(MisuseError)
      expect(() => checkCarriedProtocols([id], new Set([id ^ 1]))).toThrow(MisuseError)
      expect(() => checkCarriedProtocols([0x01, id], new Set([id]))).not.toThrow()
    }
  })

  it(`${requirement('REG-011')} has no experimental or private id by default`, () => {
    for (const id of DEFAULT_PROTOCOLS) expect(protocolById(id)).toBeDefined()
  })

  it('has neither the null id nor unassigned ones, agreed or not', () => {
    for (const id of [0x00, 0x05, 0x0f, 256, -1, 1.5])
      expect(() => checkCarriedProtocols([id], new Set([id]))).toThrow(MisuseError)
  })
})
