import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { MisuseError } from '../errors.ts'
import {
  CHANNEL,
  CHANNELS,
  channelById,
  defaultChannels,
  enabledChannels,
  ILLEGAL_CHANNEL,
  isGreaseChannel,
} from './channels.ts'
import { PROFILE, type ProfileCode } from './profiles.ts'

const STANDARD = PROFILE.STANDARD
const ALL_PROFILES: readonly ProfileCode[] = Object.values(PROFILE)

describe('the channel table', () => {
  it(`${requirement('WIRE-034')} keeps id, name, minimum profile and direction class of all twenty channels`, () => {
    const registered = `
      0 Control 1 bidirectional | 1 Memory 1 multiStream | 2 Capability 1 bidirectional | 3 Identity 1 bidirectional
      4 Governance 2 bidirectional | 5 Immune 1 bidirectional | 6 Federation 2 multiStream | 7 Settlement 1 bidirectional
      8 Compliance 2 bidirectional | 9 Sensory 2 multiStream | 10 Telemetry 1 bidirectional | 11 Audit 3 bidirectional
      12 Stream 1 multiStream | 13 Bridge 1 bidirectional | 14 Commerce 1 bidirectional | 15 Interaction 1 bidirectional
      16 Discovery 1 bidirectional | 17 Workflow 1 bidirectional | 18 Knowledge 1 multiStream | 19 Spatial 2 multiStream`
    const rows = registered
      .split(/[|\n]/)
      .map((row) => row.trim())
      .filter((row) => row !== '')
    expect(CHANNELS.map((c) => `${c.id} ${c.name} ${c.minProfile} ${c.direction}`)).toEqual(rows)
    for (const channel of CHANNELS) expect(channelById(channel.id)).toBe(channel)
  })

  it(`${requirement('WIRE-045')} leaves Control and Bridge on one stream`, () => {
    expect(channelById(CHANNEL.CONTROL)?.direction).toBe('bidirectional')
    expect(channelById(CHANNEL.BRIDGE)?.direction).toBe('bidirectional')
  })

  it(`${requirement('WIRE-037')} ranks Control and Immune ahead of Memory, Sensory and Telemetry`, () => {
    const priority = (id: number) => channelById(id)?.priority ?? Number.NaN
    for (const first of [CHANNEL.CONTROL, CHANNEL.IMMUNE])
      for (const last of [CHANNEL.MEMORY, CHANNEL.SENSORY, CHANNEL.TELEMETRY])
        expect(priority(first)).toBeLessThan(priority(last))
  })
})

describe('which channels may be used', () => {
  it(`${requirement('WIRE-033')} enables a channel at its minimum profile and above only`, () => {
    for (const channel of CHANNELS.filter((c) => !c.optInBelow))
      for (const profile of ALL_PROFILES) {
        const enable = () => enabledChannels(profile, [channel.id])
        if (profile >= channel.minProfile) expect(enable().has(channel.id)).toBe(true)
        else expect(enable).toThrow(MisuseError)
      }
  })

  it(`${requirement('WIRE-035')} has Audit off by default except at Sovereign`, () => {
    expect(ALL_PROFILES.map((profile) => defaultChannels(profile).has(CHANNEL.AUDIT))).toEqual([false, false, true])
    expect([...defaultChannels(STANDARD)]).toEqual([CHANNEL.CONTROL, CHANNEL.BRIDGE])
  })

  it(`${requirement('WIRE-036')} enables Audit below Sovereign when it is chosen`, () => {
    expect(enabledChannels(STANDARD, [CHANNEL.AUDIT]).has(CHANNEL.AUDIT)).toBe(true)
  })

  it(`${requirement('WIRE-040')} knows no channel in the reserved ranges`, () => {
    for (const id of [0x0014, 0x001f, 0x0020, 0xefff]) {
      expect(channelById(id)).toBeUndefined()
      expect(() => enabledChannels(PROFILE.SOVEREIGN, [id])).toThrow(MisuseError)
    }
  })

  it('keeps Control enabled whatever was chosen', () => {
    expect([...enabledChannels(STANDARD, [])]).toEqual([CHANNEL.CONTROL])
  })

  it(`${requirement('WIRE-038')} takes exactly 0xF000 to 0xFFFE for GREASE`, () => {
    expect([0xefff, 0xf000, 0xf123, 0xfffe, ILLEGAL_CHANNEL].map(isGreaseChannel)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
  })
})
