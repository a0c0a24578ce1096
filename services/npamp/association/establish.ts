import { CHANNEL, channelById, enabledChannels } from '../codepoints/channels.ts'
import { PROFILE, type ProfileCode } from '../codepoints/profiles.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { MisuseError } from '../errors.ts'
import type { Established } from '../handshake/established.ts'
import { DIRECTION } from '../keys/traffic.ts'
import { type KeyLimits, keyLimits } from '../record/key-limits.ts'
import { RecordReceiver } from '../record/receiver.ts'
import { RecordSender } from '../record/sender.ts'
import { concatOctets } from '../wire/octets.ts'
import { utf8 } from '../wire/utf8.ts'
import type { AssociationEvent, EstablishedInfo } from './contract.ts'
import type { Counters } from './counters.ts'
import type { Fifo } from './fifo.ts'
import { Live } from './live.ts'
import {
  type AssociationOptions,
  DEFAULT_SEND_QUEUE_OCTETS,
  MIN_MAX_FRAME_OCTETS,
  type PeerSettings,
} from './options.ts'
import { OutboundQueue } from './outbound-queue.ts'
import type { Timers } from './timers.ts'

const ASSOCIATION_ID_LABEL = utf8('causeway association v1')
const ASSOCIATION_ID_OCTETS = 16
const DEFAULT_CHANNELS: readonly number[] = [CHANNEL.BRIDGE]

interface Surroundings {
  readonly events: Fifo<AssociationEvent>
  readonly timers: Timers
  readonly counters: Counters
  readonly outbox: Uint8Array[]
}

/** Turns a finished handshake into the keys, tables and facts of a live association. The caller wipes `done.master`. */
export function establish(options: AssociationOptions, done: Established, around: Surroundings): Live {
  const { role } = options
  const { provider } = options.handshake
  const { profile, kem, signature, aead, master, peerKey, peerHandle } = done
  const associationId = associationIdOf(provider, done.thCcv)
  const info: EstablishedInfo = { profile, kem, signature, aead, peerKey, peerHandle, associationId }
  const settings = settingsFor(options, info)
  const toServer = master.directionRoot(DIRECTION.CLIENT_TO_SERVER)
  const toClient = master.directionRoot(DIRECTION.SERVER_TO_CLIENT)
  const protection = { profile, aead, aad: provider.scratch.aad }
  const [sending, receiving] = role === 'initiator' ? [toServer, toClient] : [toClient, toServer]
  return new Live({
    role,
    provider,
    info,
    settings,
    channels: usableChannels(options.channels ?? DEFAULT_CHANNELS, profile),
    sender: new RecordSender(sending, protection, keyLimits(profile, options.keyLimits)),
    receiver: new RecordReceiver(receiving, protection, keyLimits(profile, options.peerKeyLimits)),
    queue: new OutboundQueue(options.sendQueueOctets ?? DEFAULT_SEND_QUEUE_OCTETS),
    ...around,
  })
}

/** Throws MisuseError ARGUMENT for options that could only fail later, in the middle of somebody's input. */
export function checkOptions(options: AssociationOptions): void {
  enabledChannels(PROFILE.SOVEREIGN, options.channels ?? DEFAULT_CHANNELS)
  checkLimits(options.keyLimits)
  checkLimits(options.peerKeyLimits)
  if (typeof options.settings !== 'function') checkSettings(options.settings)
}

function checkLimits(limits: KeyLimits | undefined): void {
  for (const profile of Object.values(PROFILE)) keyLimits(profile, limits)
}

function settingsFor(options: AssociationOptions, info: EstablishedInfo): PeerSettings {
  if (typeof options.settings !== 'function') return options.settings
  const settings = options.settings(info)
  checkSettings(settings)
  return settings
}

function checkSettings(settings: PeerSettings): void {
  for (const limit of [settings.maxFrameOctets, settings.peerMaxFrameOctets]) {
    if (limit !== undefined && !(limit >= MIN_MAX_FRAME_OCTETS)) {
      throw new MisuseError('ARGUMENT', `a largest frame is at least ${MIN_MAX_FRAME_OCTETS} octets, not ${limit}`)
    }
  }
}

/** The chosen channels that exist at this profile (WIRE-033); Audit may be chosen below its own (WIRE-036). */
function usableChannels(chosen: readonly number[], profile: ProfileCode): readonly number[] {
  const isUsable = (id: number): boolean => {
    const channel = channelById(id)
    return channel !== undefined && (channel.minProfile <= profile || channel.optInBelow)
  }
  // One list for all associations of the same options.
  return chosen.every(isUsable) ? chosen : chosen.filter(isUsable)
}

/** AUDIT section 2: both ends compute the same. */
function associationIdOf(provider: CryptoProvider, thCcv: Uint8Array): Uint8Array {
  return provider.hash('sha256', concatOctets([ASSOCIATION_ID_LABEL, thCcv])).slice(0, ASSOCIATION_ID_OCTETS)
}
