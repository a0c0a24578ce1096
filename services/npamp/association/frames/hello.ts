import { AuthenticationError, IncompatibleError, MisbehavedError } from '../../errors.ts'
import { decodeHello, decodeHelloDone, type ReceivedHello } from '../../wire/hello.ts'
import { answeredVersion, commonVersion } from '../../wire/hello-selection.ts'
import type { PeerExtensions } from '../contract.ts'
import { sendHello, usable } from '../hello.ts'
import type { Live } from '../live.ts'
import { DEFAULT_MAX_FRAME_OCTETS } from '../options.ts'
import { TIMER } from '../timers.ts'
import type { FrameHandler } from './handler.ts'

/** The peer's one HELLO. A responder, and whoever had assumed that none would come, answers with its own. */
export const onHello: FrameHandler = (live, _header, payload) => {
  if (live.hello.received) throw new MisbehavedError('SECOND_HELLO', 'a second HELLO') // HELLO-025
  live.hello.received = true
  const { settings } = live
  const hello = decodeHello(payload, settings.peerMaxFrameOctets ?? DEFAULT_MAX_FRAME_OCTETS)
  if (live.hello.sentVersion === undefined) sendHello(live, answeredVersion(hello.version))
  if (commonVersion(live.hello.sentVersion ?? 0, hello.version) === undefined) {
    throw new IncompatibleError('NO_COMMON_VERSION', `no common HELLO version with ${hello.version}`) // HELLO-020
  }
  checkCommitment(live, hello)
  if (hello.extensionFault !== undefined) live.drop('extensions_malformed')
  else if (hello.extensions === undefined) live.drop('extensions_missing')

  live.timers.disarm(TIMER.HELLO)
  const extensions = hello.extensions && ownedExtensions(hello.extensions)
  live.peer = { announced: true, protocols: usable(live, hello.protocols), extensions }
  if (extensions !== undefined) live.peerMaxFrameOctets = extensions.maxFrameOctets
  return { kind: 'ready' }
}

/** Ends the peer's capability epoch (HELLO-005): a HELLO behind it is a second one. */
export const onHelloDone: FrameHandler = (live, _header, payload) => {
  if (!live.hello.received) throw new MisbehavedError('UNEXPECTED_FRAME', 'HELLO_DONE before HELLO')
  decodeHelloDone(payload)
  if (live.hello.doneReceived) live.drop('hello_done')
  live.hello.doneReceived = true
  return undefined
}

/** What is kept must not keep the whole HELLO that it is a view of. */
function ownedExtensions(extensions: PeerExtensions): PeerExtensions {
  return { ...extensions, bootId: extensions.bootId.slice() }
}

/** Where a digest of the peer's list was agreed, another list is a downgrade (HELLO-022). */
function checkCommitment(live: Live, hello: ReceivedHello): void {
  const expected = live.settings.expectedProtocolsDigest
  if (expected === undefined) return
  if (!live.provider.equal(live.provider.hash('sha256', hello.protocolListOctets), expected)) {
    throw new AuthenticationError('PROTOCOLS_DIGEST', 'the peer announces other protocols than were committed to')
  }
}
