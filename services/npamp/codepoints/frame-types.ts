import { CHANNEL } from './channels.ts'

/** Same meaning on every channel, never application data (WIRE-018). */
export const ALL_CHANNEL_FRAME = {
  PING: 0x0001,
  PONG: 0x0002,
  CLOSE: 0x0003,
  CLOSE_ACK: 0x0004,
  ERROR: 0x0005,
  KEY_UPDATE: 0x0006,
  KEY_UPDATE_ACK: 0x0007,
  PATH_CHALLENGE: 0x0008,
  PATH_RESPONSE: 0x0009,
  FLOW_UPDATE: 0x000a,
} as const

/** Meaningful on channel 0x0000 only; 0x0104-0x0107 are something else on Bridge (REC-030). */
export const CONTROL_FRAME = {
  CLIENT_HELLO: 0x0100,
  SERVER_HELLO: 0x0101,
  SERVER_AUTH: 0x0102,
  CLIENT_AUTH: 0x0103,
  MASTER_RATCHET: 0x0104,
  MASTER_RATCHET_ACK: 0x0105,
  REKEM: 0x0106,
  REKEM_ACK: 0x0107,
  HELLO: 0x0110,
  HELLO_DONE: 0x0111,
  /** Ours, only between relays that announced version 1 of the extensions (CARRIAGE section 1). */
  LINK: 0x4350,
} as const

/** Meaningful on channel 0x000D (BRG-002). */
export const BRIDGE_FRAME = {
  REQUEST: 0x0100,
  RESPONSE: 0x0101,
  ERROR: 0x0102,
  NOTIFY: 0x0103,
  STREAM_DATA: 0x0104,
  STREAM_END: 0x0105,
} as const

/** First type that is neither all-channel nor held for the core; flow control counts from here (digest 01 section 9.5). */
export const FIRST_APPLICATION_TYPE = 0x0030

export type FrameBand = 'illegal' | 'allChannel' | 'heldForCore' | 'companion' | 'application'

/** Digest 01 section 8. A type in `heldForCore` is an unknown type (WIRE-019). */
export function frameBand(type: number): FrameBand {
  if (type === 0x0000) return 'illegal'
  if (type <= 0x000a) return 'allChannel'
  if (type <= 0x002f) return 'heldForCore'
  if (type <= 0x00ff) return 'companion'
  return 'application'
}

interface CompanionReservation {
  readonly first: number
  readonly last: number
  /** Empty: reserved and assigned to nothing. */
  readonly channels: readonly number[]
}

const COMPANION_RESERVATIONS: readonly CompanionReservation[] = [
  { first: 0x0030, last: 0x0034, channels: [CHANNEL.STREAM] },
  { first: 0x0035, last: 0x0036, channels: [CHANNEL.MEMORY] },
  { first: 0x0060, last: 0x0063, channels: [CHANNEL.CAPABILITY] },
  { first: 0x0080, last: 0x0080, channels: [] }, // WIRE-022: Control's flow extension, undefined
  { first: 0x0090, last: 0x0090, channels: [CHANNEL.AUDIT] },
  { first: 0x00a0, last: 0x00a3, channels: [CHANNEL.SETTLEMENT, CHANNEL.AUDIT] },
  { first: 0x00b0, last: 0x00b4, channels: [CHANNEL.GOVERNANCE] },
  { first: 0x00c0, last: 0x00c4, channels: [CHANNEL.IMMUNE] },
]

/** Channels that a companion type (0x0030-0x00FF) belongs to; empty when it is unassigned. */
export function companionChannels(type: number): readonly number[] {
  return COMPANION_RESERVATIONS.find((entry) => type >= entry.first && type <= entry.last)?.channels ?? []
}

/** Whether an application may send this type there: 0x0100 and above, or a companion type at home (WIRE-021). */
export function isApplicationType(channel: number, type: number): boolean {
  const band = frameBand(type)
  return band === 'application' || (band === 'companion' && companionChannels(type).includes(channel))
}

/** Name for logs, e.g. `BRIDGE_REQUEST`; a type means something only together with its channel (WIRE-020). */
export function frameTypeName(channel: number, type: number): string | undefined {
  if (frameBand(type) === 'allChannel') return ALL_CHANNEL_NAMES.get(type)
  if (channel === CHANNEL.CONTROL) return CONTROL_NAMES.get(type)
  if (channel === CHANNEL.BRIDGE) return BRIDGE_NAMES.get(type)
  return undefined
}

const ALL_CHANNEL_NAMES = namesOf(ALL_CHANNEL_FRAME, '')
const CONTROL_NAMES = namesOf(CONTROL_FRAME, '')
const BRIDGE_NAMES = namesOf(BRIDGE_FRAME, 'BRIDGE_')

function namesOf(table: Readonly<Record<string, number>>, prefix: string): ReadonlyMap<number, string> {
  return new Map(Object.entries(table).map(([name, type]) => [type, prefix + name]))
}
