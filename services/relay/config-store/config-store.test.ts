import { create, type MessageInitShape } from '@bufbuild/protobuf'
import {
  type Delta,
  DeltaErrorCode,
  type DeltaReply,
  type DeltaSchema,
  MAX_BODY_OCTETS,
  ResourceKind,
  RouteSchema,
  versionOf,
} from '@causeway/rpc'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  backend,
  delta,
  positions,
  relaySettings,
  removedRoute,
  resource,
  route,
  SOURCE_B,
} from '../../../test/fixtures/control/deltas.ts'
import { LiveDouble } from '../../../test/fixtures/control/live-double.ts'
import { MemoryFolder } from '../../../test/fixtures/control/memory-folder.ts'
import { collectingLogger } from '../../../test/fixtures/control/quiet-logger.ts'
import { ConfigStore } from './config-store.ts'
import { encodeRecord } from './log/record.ts'

async function open(folder: MemoryFolder | undefined = new MemoryFolder(), live = new LiveDouble()) {
  const { logger, lines } = collectingLogger()
  const store = await ConfigStore.open({ folder, live, logger, compactAfterOctets: 2_000 })
  await store.start()
  return { store, live, folder, lines }
}

/** As after a crash: the same disk, another process. */
const reopen = (folder: MemoryFolder | undefined, live = new LiveDouble()) =>
  open(new MemoryFolder(folder?.files), live)

const held = (store: ConfigStore) =>
  store
    .hello()
    .held.map(({ name, version }) => `${name} ${Buffer.from(version).toString('hex').slice(0, 6)}`)
    .sort()
const values = (store: ConfigStore) => store.hello().positions.map(({ position }) => position?.value)
const errorOf = ({ error }: DeltaReply) => error && [error.code, error.message]
const refused = ({ refusals }: DeltaReply) => refusals.map(({ name, reason }) => `${name} ${reason}`)

describe('a Delta', () => {
  it(`${requirement('RLY-001')} is held, in force and on the volume once it is answered`, async () => {
    const { store, live, folder } = await open()
    const one = delta({ upserts: [route('default/a', '/a'), backend('default/b', 'b')], positions: positions(7n) })
    const reply = await store.take(one)
    expect([reply.nonce, errorOf(reply), reply.refusals]).toEqual([one.nonce, undefined, []])
    expect([...live.inForce.keys()]).toEqual(['route default/a', 'backend default/b'])
    const after = await reopen(folder)
    expect(after.store.hello()).toEqual(store.hello())
    expect(after.live.inForce).toEqual(live.inForce)
  })

  it('adds, changes and removes; what it does not name stays', async () => {
    const { store, live, folder } = await open()
    await store.take(delta({ upserts: [route('default/a', '/a'), route('default/b', '/b'), route('default/c', '/c')] }))
    await store.take(delta({ upserts: [route('default/a', '/a2')], removals: [removedRoute('default/b')] }))
    expect(live.changes.at(-1)).toMatchObject({
      upserts: [{ kind: 'route', name: 'default/a', message: { path: '/a2' } }],
      removals: [{ kind: 'route', name: 'default/b' }],
    })
    const names = held(store).map((one) => one.split(' ')[0])
    expect(names).toEqual(['default/a', 'default/c'])
    expect(held((await reopen(folder)).store)).toEqual(held(store))
  })

  it('that brings positions only is kept too, and nothing is put into force for it', async () => {
    const { store, live, folder } = await open()
    await store.take(delta({ positions: positions(9n) }))
    expect([values(store), values((await reopen(folder)).store), live.changes]).toEqual([[9n, 9n], [9n, 9n], []])
  })
})

describe('nothing is taken of a Delta', () => {
  type Init = Pick<MessageInitShape<typeof DeltaSchema> & object, 'removals' | 'positions'> & {
    readonly upserts?: readonly ReturnType<typeof route>[]
  }
  const body = (octets: number) => resource('route', 'default/a', create(RouteSchema, { path: '/'.repeat(octets) }))
  const wrongVersion = { ...route('default/a', '/a'), version: new Uint8Array(32) }
  const position = { source: new Uint8Array(15), value: 1n }
  it.each<[string, Init, DeltaErrorCode, string]>([
    [
      'whose version is not that of the body',
      { upserts: [wrongVersion] },
      DeltaErrorCode.MALFORMED,
      'the version of default/a is not the SHA-256 of its body',
    ],
    [
      'with a body beyond the limit',
      { upserts: [body(MAX_BODY_OCTETS)] },
      DeltaErrorCode.MALFORMED,
      'at most 1048576 are taken',
    ],
    [
      'without a kind',
      { upserts: [{ ...route('default/a', '/a'), kind: ResourceKind.UNSPECIFIED }] },
      DeltaErrorCode.MALFORMED,
      'a resource has no kind',
    ],
    [
      'with a name that is none',
      { upserts: [route('../etc', '/a')] },
      DeltaErrorCode.MALFORMED,
      'the name of a resource is not namespace/name',
    ],
    [
      'with a removal of a name that is none',
      { removals: [removedRoute('a')] },
      DeltaErrorCode.MALFORMED,
      'the name of a resource is not namespace/name',
    ],
    [
      'with a resource twice',
      { upserts: [route('default/a', '/a'), route('default/a', '/b')] },
      DeltaErrorCode.MALFORMED,
      'stands in it twice',
    ],
    [
      'that brings and removes the same',
      { upserts: [route('default/held', '/b')], removals: [removedRoute('default/held')] },
      DeltaErrorCode.MALFORMED,
      'stands in it twice',
    ],
    [
      'with a source that is none',
      { positions: [{ kind: 'MeshRoute', position }] },
      DeltaErrorCode.MALFORMED,
      'the source of MeshRoute has not 16 octets',
    ],
    [
      'with a position that is absent',
      { positions: [{ kind: 'MeshRoute' }] },
      DeltaErrorCode.MALFORMED,
      'the source of MeshRoute has not 16 octets',
    ],
    [
      'with two positions of one kind',
      { positions: [...positions(9n), ...positions(9n)] },
      DeltaErrorCode.MALFORMED,
      'there are two positions of MeshRoute',
    ],
    [
      'with a position of nothing',
      { positions: [{ kind: 'a b', position: { source: SOURCE_B, value: 1n } }] },
      DeltaErrorCode.MALFORMED,
      'a position is not of a kind of object',
    ],
    [
      'that removes what is not held',
      { removals: [removedRoute('default/other')] },
      DeltaErrorCode.INCONSISTENT,
      'it removes resource 4/default/other, which is not held',
    ],
    [
      'that is older than what is held',
      { upserts: [route('default/x', '/x')], positions: positions(4n) },
      DeltaErrorCode.STALE_SOURCE,
      'older than what is held of MeshRoute, MeshBackend',
    ],
  ])('%s', async (_what, init, code, message) => {
    const { store, live, folder } = await open()
    await store.take(delta({ upserts: [route('default/held', '/held')], positions: positions(5n) }))
    const before = [held(store), values(store), live.changes.length, folder?.files.get('config.log')?.length]
    const reply = await store.take(delta({ ...init, upserts: [route('default/new', '/new'), ...(init.upserts ?? [])] }))
    expect(errorOf(reply)).toEqual([code, expect.stringContaining(message)])
    expect([held(store), values(store), live.changes.length, folder?.files.get('config.log')?.length]).toEqual(before)
  })
})

describe('the source of a Delta', () => {
  const taken = async (...deltas: readonly Delta[]) => {
    const { store } = await open()
    let error: DeltaReply['error']
    for (const one of deltas) error ??= (await store.take(one)).error
    return { error, values: values(store) }
  }
  const at = (value: bigint, source?: Uint8Array) => delta({ positions: positions(value, source) })

  it('may stand still, and go on', async () => {
    expect(await taken(at(5n), at(5n), at(6n))).toEqual({ error: undefined, values: [6n, 6n] })
  })

  it(`${requirement('RLY-002')} may not go back; the kinds in which it did are named`, async () => {
    const [routes] = positions(4n)
    const mixed = delta({ positions: [...(routes ? [routes] : []), ...positions(6n).slice(1)] })
    expect(await taken(at(5n), mixed)).toMatchObject({
      error: { code: DeltaErrorCode.STALE_SOURCE, kinds: ['MeshRoute'] },
      values: [5n, 5n],
    })
  })

  it(`${requirement('RLY-002')} may go back where it says that it was itself put back`, async () => {
    expect(await taken(at(5n), delta({ positions: positions(2n), rewound: true }), at(3n))).toEqual({
      error: undefined,
      values: [3n, 3n],
    })
  })

  it(`${requirement('RLY-002')} may be another one, with whatever value`, async () => {
    expect(await taken(at(5n), at(1n, SOURCE_B))).toEqual({ error: undefined, values: [1n, 1n] })
  })

  it('is known after a start too', async () => {
    const { store, folder } = await open()
    await store.take(at(5n))
    const reply = await (await reopen(folder)).store.take(at(4n))
    expect(errorOf(reply)?.[0]).toBe(DeltaErrorCode.STALE_SOURCE)
  })
})

describe('a resource that cannot be put into force', () => {
  const bad = (...paths: readonly string[]) =>
    new LiveDouble(({ kind, message }) => kind === 'route' && 'path' in message && paths.includes(message.path))

  it(`${requirement('RLY-004')} is refused by name and version; the rest is in force, and so is its last good version`, async () => {
    const { store, live } = await open(new MemoryFolder(), bad('/bad'))
    await store.take(delta({ upserts: [route('default/a', '/good')] }))
    const good = live.inForce.get('route default/a')
    const sent = route('default/a', '/bad')
    const reply = await store.take(delta({ upserts: [sent, route('default/b', '/b')] }))
    expect(reply.error).toBeUndefined()
    expect(reply.refusals).toMatchObject([
      { kind: ResourceKind.ROUTE, name: 'default/a', version: Buffer.from(sent.version), reason: 'CredentialPending' },
    ])
    expect([live.inForce.get('route default/a'), live.inForce.has('route default/b')]).toEqual([good, true])
  })

  it(`${requirement('RLY-008')} is in force at its last good version after a start, and tried again`, async () => {
    const { store, folder, live } = await open(new MemoryFolder(), bad('/bad', '/worse'))
    await store.take(delta({ upserts: [route('default/a', '/good'), route('default/new', '/bad')] }))
    await store.take(delta({ upserts: [route('default/a', '/bad')] }))
    await store.take(delta({ upserts: [route('default/a', '/worse')] }))
    const after = await reopen(folder, bad('/bad', '/worse'))
    expect(after.live.inForce).toEqual(live.inForce)
    expect(
      after.live.changes.map(({ upserts }) => upserts.map(({ message }) => ('path' in message ? message.path : ''))),
    ).toEqual([['/good'], ['/worse', '/bad']])
    expect(held(after.store)).toEqual(held(store))
    expect(after.store.refusals()).toEqual(store.refusals())
  })

  it('that is in force later is told, and known after a start', async () => {
    const live = bad('/bad')
    const { store, folder } = await open(new MemoryFolder(), live)
    await store.take(delta({ upserts: [route('default/a', '/good')] }))
    await store.take(delta({ upserts: [route('default/a', '/bad')] }))
    const told = new Promise<void>((resolve) => store.onRefusalsChanged(resolve))
    live.refuses = () => false
    live.judgeAgain()
    await told
    expect(refused(store.replyAgain(1n))).toEqual([])
    const after = await reopen(folder, bad('/other'))
    expect(after.live.changes).toHaveLength(1)
    expect(after.live.inForce).toEqual(live.inForce)
  })

  it('is gone with its last good version once it is removed', async () => {
    const { store, folder } = await open(new MemoryFolder(), bad('/bad'))
    await store.take(delta({ upserts: [route('default/a', '/good')] }))
    await store.take(delta({ upserts: [route('default/a', '/bad')] }))
    const reply = await store.take(delta({ removals: [removedRoute('default/a')] }))
    expect([refused(reply), held(store), (await reopen(folder)).live.changes]).toEqual([[], [], []])
  })
})

describe('what this version does not understand is refused, and not read as less', () => {
  const unknownField = () => {
    const body = Uint8Array.of(0xc0, 0x3e, 0x01)
    return { ...resource('route', 'default/a', create(RouteSchema)), body }
  }
  const UNKNOWN_KIND = Number(99) as ResourceKind
  const withVersion = (part: { kind?: ResourceKind; body: Uint8Array }) => {
    return { kind: part.kind ?? ResourceKind.ROUTE, name: 'default/a', body: part.body, version: versionOf(part.body) }
  }
  it.each([
    ['a field', () => withVersion(unknownField()), 'NotImplemented'],
    ['a kind', () => withVersion({ kind: UNKNOWN_KIND, body: Uint8Array.of(1) }), 'NotImplemented'],
    ['a body', () => withVersion({ body: Uint8Array.of(0x0a, 0xff) }), 'Malformed'],
  ])('%s', async (_what, sent, reason) => {
    const { store, live, folder } = await open()
    await store.take(delta({ upserts: [route('default/a', '/good')] }))
    const reply = await store.take(delta({ upserts: [sent(), route('default/b', '/b')] }))
    expect([errorOf(reply), refused(reply)]).toEqual([undefined, [`default/a ${reason}`]])
    expect([...live.inForce.keys()]).toEqual(['route default/a', 'route default/b'])
    expect((await reopen(folder)).live.inForce).toEqual(live.inForce)
  })

  it('and may be removed again', async () => {
    const { store } = await open()
    await store.take(delta({ upserts: [withVersion({ kind: UNKNOWN_KIND, body: Uint8Array.of(1) })] }))
    const reply = await store.take(delta({ removals: [{ kind: UNKNOWN_KIND, name: 'default/a' }] }))
    expect([errorOf(reply), refused(reply), store.size]).toEqual([undefined, [], 0])
  })
})

describe('the settings of the relay', () => {
  it('are those that are in force', async () => {
    const { store } = await open(
      new MemoryFolder(),
      new LiveDouble(({ message }) => 'staleness' in message && message.staleness?.maxStalenessMs === 2n),
    )
    expect(store.settings('default/edge')).toBeUndefined()
    for (const ms of [1n, 2n]) await store.take(delta({ upserts: [relaySettings('default/edge', ms)] }))
    expect(store.settings('default/edge')?.staleness?.maxStalenessMs).toBe(1n)
  })
})

describe('the volume', () => {
  it(`${requirement('RLY-001')} that is full: nothing of a Delta is in force, the next one is taken when there is room`, async () => {
    const { store, live, folder, lines } = await open()
    await store.take(delta({ upserts: [route('default/a', '/a')] }))
    if (folder) folder.capacityOctets = (folder.files.get('config.log')?.length ?? 0) + 1_000
    // Of which more is written than what comes next has.
    const reply = await store.take(delta({ upserts: [route('default/b', '/b'.repeat(1_000))] }))
    expect(errorOf(reply)).toEqual([DeltaErrorCode.NOT_STORED, 'ENOSPC: no space left on device'])
    expect([held(store).length, live.inForce.size]).toEqual([1, 1])
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: 'error', reason: 'ENOSPC: no space left on device' }),
    )
    if (folder) folder.capacityOctets = Number.POSITIVE_INFINITY
    expect(errorOf(await store.take(delta({ upserts: [route('default/c', '/c')] })))).toBeUndefined()
    expect(held((await reopen(folder)).store)).toEqual(held(store))
  })

  it('that does not even take back what it took a part of: the log is written anew before the next Delta', async () => {
    const { store, folder } = await open()
    await store.take(delta({ upserts: [route('default/a', '/a')] }))
    if (folder === undefined) return
    folder.capacityOctets = (folder.files.get('config.log')?.length ?? 0) + 20
    folder.truncateError = new Error('EIO')
    for (const name of ['default/b', 'default/c']) {
      expect(errorOf(await store.take(delta({ upserts: [route(name, '/x')] })))?.[0]).toBe(DeltaErrorCode.NOT_STORED)
    }
    folder.capacityOctets = Number.POSITIVE_INFINITY
    expect(errorOf(await store.take(delta({ upserts: [route('default/d', '/d')] })))).toBeUndefined()
    const after = await reopen(folder)
    expect([held(after.store), after.store.damage]).toEqual([held(store), undefined])
  })

  it('has what is left of a history, and not all of it', async () => {
    const { store, folder } = await open()
    for (let turn = 0; turn < 500; turn++)
      await store.take(delta({ upserts: [route('default/a', `/${turn}`)], positions: positions(BigInt(turn)) }))
    await store.contact(1_234_567)
    await store.close()
    expect(folder?.files.get('config.log')?.length).toBeLessThan(6_000)
    const after = await reopen(folder)
    expect([held(after.store), values(after.store), after.store.lastContactMs]).toEqual([
      held(store),
      [499n, 499n],
      1_234_567,
    ])
  })

  it('without room for a second file goes on as it is', async () => {
    const { store, folder, lines } = await open()
    if (folder) folder.replaceError = new Error('ENOSPC')
    for (let turn = 0; turn < 100; turn++) await store.take(delta({ upserts: [route('default/a', `/${turn}`)] }))
    await store.close()
    const told = lines().filter(({ msg }) => msg === 'the configuration on the volume could not be compacted')
    expect(told.length).toBeGreaterThan(0)
    expect(told.length).toBeLessThan(8)
    expect(held((await reopen(folder)).store)).toEqual(held(store))
  })

  it(`${requirement('RLY-009')} that is damaged is named, not used, and kept for whoever wants to know`, async () => {
    const { store, folder } = await open()
    await store.take(delta({ upserts: [route('default/a', '/a')] }))
    await store.take(delta({ upserts: [route('default/b', '/b')] }))
    const log = folder?.files.get('config.log') ?? Buffer.alloc(0)
    log.writeUInt8(log.readUInt8(50) ^ 0xff, 50)
    const after = await reopen(folder)
    const damage = { file: '/state/config.log.damaged', offset: 32, reason: 'a record does not match its digest' }
    expect(after.store.damage).toEqual(damage)
    expect(after.lines()).toContainEqual(expect.objectContaining({ level: 'error', ...damage }))
    expect([held(after.store), after.live.changes]).toEqual([[], []])
    expect(after.folder?.files.get('config.log.damaged')).toEqual(log)
    await after.store.take(delta({ upserts: [route('default/a', '/a')] }))
    expect(held((await reopen(after.folder)).store)).toEqual(held(after.store))
  })

  it(`${requirement('RLY-009')} whose last write was cut short is used without it, and that is told`, async () => {
    const { store, folder } = await open()
    await store.take(delta({ upserts: [route('default/a', '/a')] }))
    const before = held(store)
    // The beginning of a record, longer than what comes next.
    const cutShort = encodeRecord({ type: 1, payload: Buffer.alloc(9_000, 1) }, Buffer.alloc(16), 0).subarray(0, 8_000)
    folder?.files.set('config.log', Buffer.concat([folder.files.get('config.log') ?? Buffer.alloc(0), cutShort]))
    const after = await reopen(folder)
    expect([held(after.store), after.store.damage]).toEqual([before, undefined])
    expect(after.lines()).toContainEqual(expect.objectContaining({ level: 'warn', octets: 8_000 }))
    await after.store.take(delta({ upserts: [route('default/b', '/b')] }))
    expect(held((await reopen(after.folder)).store)).toHaveLength(2)
  })

  it('is not needed where nothing outlives the process', async () => {
    const { logger } = collectingLogger()
    const live = new LiveDouble()
    const store = await ConfigStore.open({ folder: undefined, live, logger })
    await store.start()
    expect(errorOf(await store.take(delta({ upserts: [route('default/a', '/a')] })))).toBeUndefined()
    expect(live.inForce.size).toBe(1)
    await store.close()
  })
})
