import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { HASH_LENGTH } from './hash-length.ts'
import { HandshakeSecret, HandshakeTraffic, MasterSecret } from './schedule.ts'
import { DIRECTION } from './traffic.ts'

const KEM_SECRET = new Uint8Array(64).fill(0x11)

describe.each(PROVIDERS)('the stages on $name', (provider) => {
  it.each(['sha256', 'sha384'] as const)(`${requirement('HS-017')} have HashLen octets with %s`, (hash) => {
    const th = new Uint8Array(HASH_LENGTH[hash]).fill(2)
    const secret = new HandshakeSecret(provider, hash, KEM_SECRET)
    const traffic = secret.traffic(DIRECTION.CLIENT_TO_SERVER, th)
    const lengths = [secret.octets, traffic.octets, traffic.finishedKey(), secret.master(th).octets].map(
      (o) => o.length,
    )
    expect(lengths).toEqual([HASH_LENGTH[hash], HASH_LENGTH[hash], HASH_LENGTH[hash], HASH_LENGTH[hash]])
  })

  it(`${requirement('HS-038')} give each direction a secret of its own`, () => {
    const secret = new HandshakeSecret(provider, 'sha256', KEM_SECRET)
    const th = new Uint8Array(32)
    const client = secret.traffic(DIRECTION.CLIENT_TO_SERVER, th)
    const server = secret.traffic(DIRECTION.SERVER_TO_CLIENT, th)
    expect(hex(client.octets)).not.toBe(hex(server.octets))
    expect([client.direction, server.direction]).toEqual([0, 1])
  })

  it('leave the KEM secret to the caller', () => {
    const kemSecret = new Uint8Array(64).fill(9)
    new HandshakeSecret(provider, 'sha256', kemSecret).wipe()
    expect(kemSecret.every((octet) => octet === 9)).toBe(true)
  })

  it('are gone after wipe', () => {
    const th = new Uint8Array(32)
    const secret = new HandshakeSecret(provider, 'sha256', KEM_SECRET)
    const traffic = secret.traffic(DIRECTION.CLIENT_TO_SERVER, th)
    const master = secret.master(th)
    const views = [secret.octets, traffic.octets, master.octets]
    secret.wipe()
    traffic.wipe()
    master.wipe()
    for (const view of views) expect(view.every((octet) => octet === 0)).toBe(true)
    expect(failure(() => secret.traffic(DIRECTION.CLIENT_TO_SERVER, th))).toBe('closed/WIPED')
    expect(failure(() => secret.master(th))).toBe('closed/WIPED')
    expect(failure(() => traffic.authKeys(1))).toBe('closed/WIPED')
    expect(failure(() => traffic.finishedKey())).toBe('closed/WIPED')
    expect(failure(() => master.directionRoot(DIRECTION.CLIENT_TO_SERVER))).toBe('closed/WIPED')
  })

  it('refuse secrets of another length', () => {
    expect(failure(() => new HandshakeSecret(provider, 'sha256', new Uint8Array(63)))).toBe('misuse/ARGUMENT')
    expect(failure(() => new MasterSecret(provider, 'sha384', new Uint8Array(32)))).toBe('misuse/ARGUMENT')
  })

  it('print nothing of their secrets', () => {
    const stages = [
      new HandshakeSecret(provider, 'sha256', KEM_SECRET),
      new HandshakeTraffic(provider, 'sha256', DIRECTION.CLIENT_TO_SERVER, new Uint8Array(32).fill(0x77)),
      new MasterSecret(provider, 'sha256', new Uint8Array(32).fill(0x77)),
    ]
    for (const stage of stages) expect(JSON.stringify(stage)).not.toMatch(/octets|secret|119/)
  })
})
