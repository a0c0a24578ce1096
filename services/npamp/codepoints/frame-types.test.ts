import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { CHANNEL, CHANNELS } from './channels.ts'
import {
  ALL_CHANNEL_FRAME,
  BRIDGE_FRAME,
  CONTROL_FRAME,
  companionChannels,
  frameBand,
  frameTypeName,
  isApplicationType,
} from './frame-types.ts'

describe('frame types', () => {
  it(`${requirement('WIRE-018')} mean the same on every channel from 0x0001 to 0x000A and carry no application data there`, () => {
    const names = Object.keys(ALL_CHANNEL_FRAME)
    for (const { id } of CHANNELS)
      for (let type = 1; type <= 0x0a; type++) {
        expect(frameTypeName(id, type)).toBe(names[type - 1])
        expect(isApplicationType(id, type)).toBe(false)
      }
    expect(names).toEqual(
      'PING PONG CLOSE CLOSE_ACK ERROR KEY_UPDATE KEY_UPDATE_ACK PATH_CHALLENGE PATH_RESPONSE FLOW_UPDATE'.split(' '),
    )
  })

  it(`${requirement('WIRE-019')} from 0x000B to 0x002F are unknown on every channel`, () => {
    for (let type = 0x0b; type <= 0x2f; type++) {
      expect(frameBand(type)).toBe('heldForCore')
      for (const { id } of CHANNELS) {
        expect(frameTypeName(id, type)).toBeUndefined()
        expect(isApplicationType(id, type)).toBe(false)
      }
    }
  })

  it(`${requirement('WIRE-020')} are named together with their channel`, () => {
    expect(frameTypeName(CHANNEL.CONTROL, 0x0100)).toBe('CLIENT_HELLO')
    expect(frameTypeName(CHANNEL.BRIDGE, 0x0100)).toBe('BRIDGE_REQUEST')
    expect(frameTypeName(CHANNEL.MEMORY, 0x0100)).toBeUndefined()
    expect(frameTypeName(CHANNEL.BRIDGE, CONTROL_FRAME.LINK)).toBeUndefined()
  })

  it(`${requirement('WIRE-021')} of companions may be sent at home only, application types from 0x0100 on anywhere`, () => {
    const homes = new Map([
      [0x0030, [CHANNEL.STREAM]],
      [0x0034, [CHANNEL.STREAM]],
      [0x0036, [CHANNEL.MEMORY]],
      [0x0060, [CHANNEL.CAPABILITY]],
      [0x0090, [CHANNEL.AUDIT]],
      [0x00a3, [CHANNEL.SETTLEMENT, CHANNEL.AUDIT]],
      [0x00b4, [CHANNEL.GOVERNANCE]],
      [0x00c0, [CHANNEL.IMMUNE]],
    ])
    for (const [type, home] of homes) {
      expect(companionChannels(type)).toEqual(home)
      for (const { id } of CHANNELS) expect(isApplicationType(id, type)).toBe((home as number[]).includes(id))
    }
    expect(isApplicationType(CHANNEL.STREAM, 0x0035)).toBe(false)
    for (const type of [0x00ff, 0x005f]) expect(companionChannels(type)).toEqual([])
    for (const type of [0x0100, 0xffff]) expect(isApplicationType(CHANNEL.BRIDGE, type)).toBe(true)
  })

  it(`${requirement('WIRE-022')} leave 0x0080 assigned to nothing`, () => {
    expect(companionChannels(0x0080)).toEqual([])
    for (const { id } of CHANNELS) expect(isApplicationType(id, 0x0080)).toBe(false)
    expect(frameTypeName(CHANNEL.CONTROL, 0x0080)).toBeUndefined()
  })

  it(`${requirement('HELLO-003')} put HELLO and HELLO_DONE at 0x0110 and 0x0111 of Control`, () => {
    expect(frameTypeName(CHANNEL.CONTROL, 0x0110)).toBe('HELLO')
    expect(frameTypeName(CHANNEL.CONTROL, 0x0111)).toBe('HELLO_DONE')
  })

  it('of Bridge are 0x0100 to 0x0105', () => {
    expect(Object.values(BRIDGE_FRAME)).toEqual([0x0100, 0x0101, 0x0102, 0x0103, 0x0104, 0x0105])
    expect(frameBand(0)).toBe('illegal')
  })
})
