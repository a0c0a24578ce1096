import { create } from '@bufbuild/protobuf'
import { type InstanceStatus, InstanceStatusSchema } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { bootId } from '../../../test/fixtures/control-plane/instance.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import type { InstanceChange, InstanceName, InstanceSink } from './instance.ts'
import { InstanceTable } from './instance-table.ts'

const [A, B, C] = ['MeshRoute default/a', 'MeshRoute default/b', 'MeshRoute default/c']
const NOTHING = new Map<string, never>()

const instance = (ordinal = 0, boot = 1): InstanceName => ({
  ...{ namespace: 'default', relay: 'edge', relayUid: '' },
  ordinal,
  bootId: bootId(boot),
})

const refusal = (versionHex: string, message = 'no') => ({ versionHex, reason: 'Invalid', fieldPath: '', message })

/** Hears of instances, and keeps it: `edge-0 MeshRoute default/a=v1`. */
class Heard implements InstanceSink {
  readonly lines: string[] = []
  readonly statuses: (InstanceStatus | undefined)[] = []

  changed({ ordinal }: InstanceName, { acceptances, status }: InstanceChange): void {
    const said = [...acceptances].map(([key, one]) => {
      if (one === undefined) return `-${key}`
      return `${key}=${one.versionHex}${one.refusal === undefined ? '' : `!${one.refusal.message}`}`
    })
    this.lines.push(`edge-${ordinal} ${said.sort().join(' ')}`)
    this.statuses.push(status)
  }

  gone({ ordinal }: InstanceName): void {
    this.lines.push(`edge-${ordinal} gone`)
  }
}

function aTable() {
  const table = new InstanceTable()
  const heard = new Heard()
  table.attach(heard)
  return { table, heard }
}

describe(`${requirement('CTL-020')} what an instance answers`, () => {
  it('is told once, and only what is different', () => {
    const { table, heard } = aTable()
    table.delivered(instance(), new Map([...[A, B].map((key) => [key, 'v1'] as const)]), NOTHING)
    table.delivered(instance(), new Map([[A, 'v1']]), NOTHING)
    table.delivered(instance(), new Map([...[A, B].map((key, index) => [key, `v${index + 1}`] as const)]), NOTHING)
    table.delivered(instance(), new Map([[A, undefined]]), NOTHING)
    table.delivered(instance(), new Map([[C, undefined]]), NOTHING)
    expect(heard.lines).toEqual([`edge-0 ${A}=v1 ${B}=v1`, `edge-0 ${B}=v2`, `edge-0 -${A}`])
  })

  it('a refusal stands before the version that was sent', () => {
    const { table, heard } = aTable()
    table.delivered(
      instance(),
      new Map([
        [A, 'v1'],
        [B, 'v1'],
      ]),
      new Map([[A, refusal('v1')]]),
    )
    expect(heard.lines).toEqual([`edge-0 ${A}=v1!no ${B}=v1`])
  })

  it('what it refuses no more has come into force; why it refuses may change', () => {
    const { table, heard } = aTable()
    table.delivered(instance(), NOTHING, new Map([...[A, B].map((key) => [key, refusal('v1')] as const)]))
    table.delivered(instance(), NOTHING, new Map([[B, refusal('v1', 'still not')]]))
    table.delivered(instance(), NOTHING, new Map([[B, refusal('v1', 'still not')]]))
    table.delivered(instance(), NOTHING, NOTHING)
    table.delivered(instance(), NOTHING, NOTHING)
    expect(heard.lines).toEqual([`edge-0 ${A}=v1!no ${B}=v1!no`, `edge-0 ${A}=v1 ${B}=v1!still not`, `edge-0 ${B}=v1`])
  })

  it('what was refused and is gone is not brought back', () => {
    const { table, heard } = aTable()
    table.delivered(instance(), NOTHING, new Map([[A, refusal('v1')]]))
    table.delivered(instance(), new Map([[A, undefined]]), NOTHING)
    table.delivered(instance(), NOTHING, NOTHING)
    expect(heard.lines).toEqual([`edge-0 ${A}=v1!no`, `edge-0 -${A}`])
  })
})

describe(`${requirement('CTL-020')} whoever hears of instances`, () => {
  it('is told everything first, in place of whoever did before', () => {
    const { table, heard } = aTable()
    const status = create(InstanceStatusSchema, { peerHandle: 'me' })
    table.delivered(instance(0), new Map([[A, 'v1']]), new Map([[B, refusal('v2')]]))
    table.status(instance(1), status)
    const next = new Heard()
    table.attach(next)
    expect(next.lines).toEqual([`edge-0 ${A}=v1 ${B}=v2!no`, 'edge-1 '])
    expect(next.statuses).toEqual([undefined, status])
    const before = heard.lines.length
    table.delivered(instance(0), new Map([[A, 'v2']]), new Map([[B, refusal('v2')]]))
    expect([heard.lines.length, next.lines.at(-1)]).toEqual([before, `edge-0 ${A}=v2`])
    table.attach(undefined)
    table.gone(instance(0))
    expect(next.lines).toHaveLength(3)
  })

  it('hears that one is gone, which is forgotten', () => {
    const { table, heard } = aTable()
    table.delivered(instance(), new Map([[A, 'v1']]), NOTHING)
    table.gone(instance())
    table.gone(instance())
    table.gone(instance(5))
    expect([heard.lines, table.size]).toEqual([[`edge-0 ${A}=v1`, 'edge-0 gone'], 0])
  })

  it('hears of a newer process from the beginning, and not that the older one is gone', () => {
    const { table, heard } = aTable()
    table.delivered(instance(0, 1), new Map([[A, 'v1']]), NOTHING)
    table.delivered(instance(0, 2), new Map([[A, 'v1']]), NOTHING)
    table.gone(instance(0, 1))
    expect([heard.lines, table.size]).toEqual([[`edge-0 ${A}=v1`, `edge-0 ${A}=v1`], 1])
  })
})
