import { MisuseError } from '../errors.ts'
import { PROFILE, type ProfileCode } from './profiles.ts'

export const CHANNEL = {
  CONTROL: 0x0000,
  MEMORY: 0x0001,
  CAPABILITY: 0x0002,
  IDENTITY: 0x0003,
  GOVERNANCE: 0x0004,
  IMMUNE: 0x0005,
  FEDERATION: 0x0006,
  SETTLEMENT: 0x0007,
  COMPLIANCE: 0x0008,
  SENSORY: 0x0009,
  TELEMETRY: 0x000a,
  AUDIT: 0x000b,
  STREAM: 0x000c,
  BRIDGE: 0x000d,
  COMMERCE: 0x000e,
  INTERACTION: 0x000f,
  DISCOVERY: 0x0010,
  WORKFLOW: 0x0011,
  KNOWLEDGE: 0x0012,
  SPATIAL: 0x0013,
} as const

/** Never legal on the wire (WIRE-039). */
export const ILLEGAL_CHANNEL = 0xffff

/** multiStream: may open several transport streams; bidirectional: one (WIRE-045). */
export type DirectionClass = 'bidirectional' | 'multiStream'

export interface Channel {
  readonly id: number
  readonly name: string
  readonly minProfile: ProfileCode
  readonly direction: DirectionClass
  /** May be turned on below `minProfile` by explicit choice: Audit only (WIRE-036). */
  readonly optInBelow: boolean
  /** Scheduling class under congestion, lower first (WIRE-037). */
  readonly priority: 0 | 1 | 2
}

/** Digest 01 section 10, one row per channel. */
export const CHANNELS: readonly Channel[] = [
  row(CHANNEL.CONTROL, 'Control', PROFILE.STANDARD, 'bidirectional', 0),
  row(CHANNEL.MEMORY, 'Memory', PROFILE.STANDARD, 'multiStream', 2),
  row(CHANNEL.CAPABILITY, 'Capability', PROFILE.STANDARD, 'bidirectional'),
  row(CHANNEL.IDENTITY, 'Identity', PROFILE.STANDARD, 'bidirectional'),
  row(CHANNEL.GOVERNANCE, 'Governance', PROFILE.HIGH, 'bidirectional'),
  row(CHANNEL.IMMUNE, 'Immune', PROFILE.STANDARD, 'bidirectional', 0),
  row(CHANNEL.FEDERATION, 'Federation', PROFILE.HIGH, 'multiStream'),
  row(CHANNEL.SETTLEMENT, 'Settlement', PROFILE.STANDARD, 'bidirectional'),
  row(CHANNEL.COMPLIANCE, 'Compliance', PROFILE.HIGH, 'bidirectional'),
  row(CHANNEL.SENSORY, 'Sensory', PROFILE.HIGH, 'multiStream', 2),
  row(CHANNEL.TELEMETRY, 'Telemetry', PROFILE.STANDARD, 'bidirectional', 2),
  { ...row(CHANNEL.AUDIT, 'Audit', PROFILE.SOVEREIGN, 'bidirectional'), optInBelow: true },
  row(CHANNEL.STREAM, 'Stream', PROFILE.STANDARD, 'multiStream'),
  row(CHANNEL.BRIDGE, 'Bridge', PROFILE.STANDARD, 'bidirectional'),
  row(CHANNEL.COMMERCE, 'Commerce', PROFILE.STANDARD, 'bidirectional'),
  row(CHANNEL.INTERACTION, 'Interaction', PROFILE.STANDARD, 'bidirectional'),
  row(CHANNEL.DISCOVERY, 'Discovery', PROFILE.STANDARD, 'bidirectional'),
  row(CHANNEL.WORKFLOW, 'Workflow', PROFILE.STANDARD, 'bidirectional'),
  row(CHANNEL.KNOWLEDGE, 'Knowledge', PROFILE.STANDARD, 'multiStream'),
  row(CHANNEL.SPATIAL, 'Spatial', PROFILE.HIGH, 'multiStream'),
]

/** The registered channel, or undefined: 0x0014-0xEFFF stay reserved until a companion assigns one (WIRE-040). */
export function channelById(id: number): Channel | undefined {
  return CHANNELS[id]
}

/** 0xF000-0xFFFE: a receiver ignores their frames before any key or state is touched (WIRE-038). */
export function isGreaseChannel(id: number): boolean {
  return id >= 0xf000 && id <= 0xfffe
}

/** What is on when nobody chose: Control and Bridge, and Audit at Sovereign only (WIRE-035). */
export function defaultChannels(profile: ProfileCode): ReadonlySet<number> {
  const channels = new Set<number>([CHANNEL.CONTROL, CHANNEL.BRIDGE])
  if (profile === PROFILE.SOVEREIGN) channels.add(CHANNEL.AUDIT)
  return channels
}

/**
 * The allow-list for one association: Control is always in it. Throws MisuseError ARGUMENT for a channel that no table
 * has (WIRE-040) or that needs a higher profile (WIRE-033); Audit may be chosen at any profile (WIRE-036).
 */
export function enabledChannels(profile: ProfileCode, chosen: Iterable<number>): ReadonlySet<number> {
  const channels = new Set<number>([CHANNEL.CONTROL])
  for (const id of chosen) {
    const channel = channelById(id)
    if (channel === undefined) throw new MisuseError('ARGUMENT', `channel ${hex(id)} is not assigned`)
    if (channel.minProfile > profile && !channel.optInBelow)
      throw new MisuseError('ARGUMENT', `channel ${channel.name} needs a higher profile`)
    channels.add(id)
  }
  return channels
}

function row(
  id: number,
  name: string,
  minProfile: ProfileCode,
  direction: DirectionClass,
  priority: 0 | 1 | 2 = 1,
): Channel {
  return { id, name, minProfile, direction, optInBelow: false, priority }
}

function hex(id: number): string {
  return `0x${id.toString(16).padStart(4, '0')}`
}
