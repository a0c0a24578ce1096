import { createHash } from 'node:crypto'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { StateLockedError } from '../../services/relay/config-store/state/state-lock.ts'
import { delta, positions, relaySettings, route } from '../fixtures/control/deltas.ts'
import { grpcPlane, makeFolders, mount, relayProcess } from '../fixtures/control/grpc-world.ts'
import { LimitedProxy } from '../fixtures/control/limited-proxy.ts'
import { TestAuthority } from '../fixtures/control/test-authority.ts'

let authority: TestAuthority
beforeAll(async () => {
  authority = await TestAuthority.create()
})

const first = () =>
  delta({ upserts: [relaySettings('default/edge', 60_000n), route('default/a', '/a')], positions: positions(1n) })

/** A relay that has its first configuration from a control plane. */
async function configured() {
  const folders = await makeFolders()
  await mount(folders, await authority.relay('default', 'edge', { uid: 'one' }))
  const plane = await grpcPlane(authority)
  const world = await relayProcess(folders, [plane.address])
  const stream = await plane.script.next()
  await stream.send(first())
  return { ...world, folders, plane, stream }
}

describe('a control plane that is killed in the middle of a push', () => {
  it('at any octet of it: the relay has all of it or nothing, and gets the rest from the next', async () => {
    const folders = await makeFolders()
    await mount(folders, await authority.relay('default', 'edge'))
    const plane = await grpcPlane(authority)
    const proxy = await LimitedProxy.open(() => plane.server.address.port)
    onTestFinished(() => proxy.close())
    const { live, relay } = await relayProcess(folders, [`127.0.0.1:${proxy.port}`])
    let stream = await plane.script.next()
    await stream.send(first())

    const routes = Array.from({ length: 100 }, (_, index) => route(`default/r${index}`, `/${'x'.repeat(10_000)}`))
    const push = () => delta({ upserts: [route('default/a', '/b'), ...routes], positions: positions(2n) })
    for (const limitOctets of [6_000, 40_000, 300_000, 900_000]) {
      proxy.limitOctets = limitOctets
      const { broken } = proxy
      stream.fail()
      stream = await plane.script.next()
      const hello = await stream.hello()
      expect(hello.held).toHaveLength(2)
      void stream.send(push())
      await stream.closed
      expect(proxy.broken).toBe(broken + 1)
      expect(live.changes).toHaveLength(1)
    }
    expect(relay.ready().ok).toBe(true)

    proxy.limitOctets = Number.POSITIVE_INFINITY
    stream = await plane.script.next()
    expect((await stream.send(push())).error).toBeUndefined()
    expect([live.changes.length, live.inForce.size]).toEqual([2, 102])
  })

  it('and is followed by another: that gives the difference', async () => {
    const folders = await makeFolders()
    await mount(folders, await authority.relay('default', 'edge'))
    const planes = [await grpcPlane(authority), await grpcPlane(authority)]
    const { live } = await relayProcess(
      folders,
      planes.map(({ address }) => address),
    )
    const opened = planes.map(({ script }) => script.next())
    const index = await Promise.race(opened.map((one, at) => one.then(() => at)))
    await (await opened[index])?.send(first())
    await planes[index]?.kill()
    const next = await opened[1 - index]
    expect((await next?.hello())?.held).toHaveLength(2)
    await next?.send(delta({ upserts: [route('default/b', '/b')], positions: positions(2n) }))
    expect(live.inForce.size).toBe(3)
  })
})

describe('certificates of a relay', () => {
  it('are read again: the next stream has the new ones, and the trust bundle is told', async () => {
    const { folders, plane, stream, live } = await configured()
    const bundle = (text: string) => createHash('sha256').update(text).digest()
    expect(Buffer.from((await stream.status()).trustBundleSha256)).toEqual(bundle(authority.certificate))
    const renewed = await TestAuthority.create('renewed')
    const both = `${authority.certificate}${renewed.certificate}`
    plane.server.renewTls({ ...(await renewed.controlPlane()), authorities: Buffer.from(both) })
    await mount(folders, {
      ...(await renewed.relay('default', 'edge', { uid: 'two' })),
      authorities: Buffer.from(both),
    })
    expect(Buffer.from((await stream.status()).trustBundleSha256)).toEqual(bundle(both))
    stream.askToReconnect()
    const next = await plane.script.next()
    expect([stream.identity.uid, next.identity.uid]).toEqual(['one', 'two'])
    await next.send(delta({}))
    await stream.closed
    expect(live.changes).toHaveLength(1)
  })

  it('may come after the relay', async () => {
    const folders = await makeFolders()
    const plane = await grpcPlane(authority)
    const { relay, lines } = await relayProcess(folders, [plane.address])
    await expect
      .poll(() => lines())
      .toContainEqual(expect.objectContaining({ reason: 'the certificates cannot be used: there are none yet' }))
    await mount(folders, await authority.relay('default', 'edge'))
    await (await plane.script.next()).send(first())
    expect(relay.ready().ok).toBe(true)
  })
})

describe('the volume of a relay', () => {
  it('is enough to start from while no control plane answers', async () => {
    const { folders, relay, plane, live } = await configured()
    await plane.kill()
    await relay.drain()
    const again = await relayProcess(folders, [plane.address])
    expect([again.relay.ready().ok, again.live.inForce]).toEqual([true, live.inForce])
  })

  it('that is an old one: the relay serves it, and a control plane gives the difference', async () => {
    const { folders, relay, stream, plane } = await configured()
    await cp(folders.state, `${folders.state}-old`, { recursive: true })
    await stream.send(delta({ upserts: [route('default/b', '/b')], positions: positions(2n) }))
    await relay.drain()
    const old = await relayProcess({ ...folders, state: `${folders.state}-old` }, [plane.address])
    expect(old.live.inForce.size).toBe(2)
    const next = await plane.script.next()
    const hello = await next.hello()
    expect([hello.held.length, hello.positions[0]?.position?.value]).toEqual([2, 1n])
    await next.send(delta({ upserts: [route('default/b', '/b')], positions: positions(2n) }))
    expect(old.live.inForce.size).toBe(3)
  })

  it('that is damaged is named and not used: nothing is in force before a control plane says it', async () => {
    const { folders, relay, plane } = await configured()
    await relay.drain()
    const log = join(folders.state, 'configuration/config.log')
    const octets = await readFile(log)
    octets.writeUInt8(octets.readUInt8(60) ^ 0xff, 60)
    await writeFile(log, octets)
    const again = await relayProcess(folders, [plane.address])
    expect([again.relay.ready().ok, again.live.changes]).toEqual([false, []])
    const damage = { level: 'error', file: `${log}.damaged`, offset: 32, reason: 'a record does not match its digest' }
    expect(again.lines()).toContainEqual(expect.objectContaining(damage))
    const next = await plane.script.next()
    expect((await next.hello()).held).toEqual([])
    await next.send(first())
    expect(again.relay.ready().ok).toBe(true)
    expect(await readFile(`${log}.damaged`)).toEqual(octets)
  })

  it('belongs to one process', async () => {
    const { folders, plane, relay } = await configured()
    await expect(relayProcess(folders, [plane.address])).rejects.toThrow(StateLockedError)
    expect(relay.ready().ok).toBe(true)
    await relay.stop()
    await relayProcess(folders, [plane.address])
  })
})

describe('the admin listener of a relay', () => {
  it('answers before there is a configuration, says when there is one, and goes last', async () => {
    const folders = await makeFolders()
    await mount(folders, await authority.relay('default', 'edge'))
    const plane = await grpcPlane(authority)
    const { relay } = await relayProcess(folders, [plane.address])
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${relay.adminAddress?.port}${path}`)).status
    expect([await get('/healthz'), await get('/readyz')]).toEqual([200, 503])
    await (await plane.script.next()).send(first())
    expect(await get('/readyz')).toBe(200)
    expect(await (await fetch(`http://127.0.0.1:${relay.adminAddress?.port}/metrics`)).text()).toContain(
      'causeway_config_connected 1',
    )
    await relay.drain()
    await expect(get('/healthz')).rejects.toThrow()
  })
})
