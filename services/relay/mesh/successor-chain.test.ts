import { type EstablishedInfo, signSuccessor } from '@causeway/npamp'
import { createLogger } from '@causeway/telemetry'
import { beforeEach, expect, it } from 'vitest'
import { VirtualClock } from '../../../test/fixtures/edge/virtual-clock.ts'
import { newIdentity, peerConfig, type RelayIdentity } from '../../../test/fixtures/mesh/memory-mesh.ts'
import type { PeerConfig } from './peer-config.ts'
import type { KeptSuccessor } from './successor-store.ts'
import { Successors } from './successors.ts'

const NOW_S = 1_800_000_000

let logs: string[]
let kept: ReadonlyMap<string, readonly KeptSuccessor[]>
let successors: Successors
let clock: VirtualClock

beforeEach(() => {
  logs = []
  kept = new Map()
  clock = new VirtualClock()
  successors = new Successors({
    provider: newIdentity().provider,
    clock,
    store: {
      load: () => new Map(),
      save: (now) => {
        kept = new Map(now)
      },
    },
    wallClock: () => NOW_S * 1_000,
    logger: createLogger({ level: 'debug', destination: { write: (line) => logs.push(line) } }),
  })
})

const pinning = ({ handle }: RelayIdentity): PeerConfig => peerConfig('tools', handle, { acceptSuccessors: true })

/** The peer shows that it is `current`, and says that `next` comes after it. */
function announce(config: PeerConfig, current: RelayIdentity, next: RelayIdentity): PeerConfig | undefined {
  clock.advance(1_000)
  return say(config, current, next)
}

function say(config: PeerConfig, current: RelayIdentity, next: RelayIdentity): PeerConfig | undefined {
  const terms = { notBeforeS: NOW_S - 60, notAfterS: NOW_S + 3_600 }
  const info = { signature: current.key.scheme, peerKey: current.key.publicKey } as EstablishedInfo
  return successors.received(
    successors.pinnedBy(config),
    info,
    signSuccessor(terms, current.key, next.key, current.provider),
  )
}

function chain(config: PeerConfig, first: RelayIdentity, length: number): RelayIdentity[] {
  const keys = [first]
  for (let n = 0; n < length; n++) {
    const next = newIdentity()
    announce(config, keys.at(-1) as RelayIdentity, next)
    keys.push(next)
  }
  return keys
}

const handlesOf = (config: PeerConfig) => {
  const { identity } = successors.pinnedBy(config)
  return identity.mode === 'any' ? [] : identity.handles
}

it('a peer that goes on changing its key while nobody touches its MeshPeer is never a stranger with the keys that it had', () => {
  const first = newIdentity()
  const config = pinning(first)
  const keys = chain(config, first, 40)
  expect(handlesOf(config)).toEqual(keys.slice(0, 17).map(({ handle }) => handle))
  expect(logs.filter((line) => line.includes('must be brought up to date'))).not.toEqual([])
})

it('whoever has a key of the peer, and names many others, takes nothing away from what it had named before', () => {
  const first = newIdentity()
  const config = pinning(first)
  const [, second] = chain(config, first, 1) as [RelayIdentity, RelayIdentity]
  for (let n = 0; n < 40; n++) announce(config, first, newIdentity())
  expect(handlesOf(config)).toContain(second.handle)
  expect(kept.get('tools')).toHaveLength(16)
})

it('what a former configuration has led to takes no room', () => {
  const first = newIdentity()
  const keys = chain(pinning(first), first, 16)
  const last = keys.at(-1) as RelayIdentity
  const next = newIdentity()
  expect(announce(pinning(last), last, next)).toEqual(pinning(last))
  expect(handlesOf(pinning(last))).toEqual([last.handle, next.handle])
  expect(kept.get('tools')).toHaveLength(1)
})

it('a peer that announces all the time is not looked at all the time, and fills no log', () => {
  const first = newIdentity()
  const config = pinning(first)
  const stranger = newIdentity()
  // Signed by a key that is not the one of the association.
  const statement = signSuccessor(
    { notBeforeS: 0, notAfterS: NOW_S * 2 },
    stranger.key,
    newIdentity().key,
    first.provider,
  )
  const info = { signature: first.key.scheme, peerKey: first.key.publicKey } as EstablishedInfo
  for (let n = 0; n < 1_000; n++) successors.received(config, info, statement)
  clock.advance(1_000)
  expect(logs.length).toBeLessThan(15)
  expect(logs.some((line) => line.includes('announces keys all the time'))).toBe(true)
})
