import { requirement } from '@causeway/test/requirements'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ListenAddress } from '../contract.ts'
import { type ListenerChange, type ListenerKind, ListenerSlot } from './listener-slot.ts'

interface Config extends ListenAddress {
  readonly certificate: string
  /** What an open listener cannot become. */
  readonly scheme: string
}

interface Handle {
  readonly address: ListenAddress
  certificate: string
}

/** The port that the system chooses. */
const CHOSEN = 40_000

/** Addresses of a machine: each is somebody's or free, as with a real one. */
class Machine implements ListenerKind<Config, Handle> {
  readonly name = 'mcp'
  readonly events: string[] = []
  readonly taken = new Set<number>()

  open({ host, port: wanted, certificate }: Config): Promise<Handle> {
    const port = wanted === 0 ? CHOSEN : wanted
    if (this.taken.has(port)) return Promise.reject(new Error(`EADDRINUSE ${port}`))
    this.taken.add(port)
    this.events.push(`open ${port}`)
    return Promise.resolve({ address: { host, port }, certificate })
  }

  change(handle: Handle, before: Config, after: Config): Promise<ListenerChange | 'reopen'> {
    if (before.scheme !== after.scheme) return Promise.resolve('reopen')
    if (after.certificate === 'bad') return Promise.reject(new Error('bad certificate'))
    const was = handle.certificate
    return Promise.resolve({
      commit: () => {
        handle.certificate = after.certificate
      },
      rollback: async () => void this.events.push(`back to ${was}`),
    })
  }

  close({ address }: Handle): Promise<void> {
    this.taken.delete(address.port)
    this.events.push(`close ${address.port}`)
    return Promise.resolve()
  }
}

let machine: Machine
let slot: ListenerSlot<Config, Handle>
beforeEach(() => {
  machine = new Machine()
  slot = new ListenerSlot(machine)
})

const config = (port: number, changes: Partial<Config> = {}): Config => ({
  host: 'localhost',
  port,
  certificate: 'one',
  scheme: 'https',
  ...changes,
})

async function become(after: Config | undefined): Promise<void> {
  const change = await slot.prepare(after)
  change.commit()
}

describe('a listener', () => {
  it('is opened, and closed when it is configured no more', async () => {
    expect(slot.address).toBeUndefined()
    await become(config(1))
    expect(slot.address).toEqual({ host: 'localhost', port: 1 })
    await become(undefined)
    expect(slot.address).toBeUndefined()
    expect(machine.events).toEqual(['open 1', 'close 1'])
  })

  it(`${requirement('RLY-016')} that moves listens at the new address before it leaves the old one`, async () => {
    await become(config(1))
    await become(config(2))
    expect(machine.events).toEqual(['open 1', 'open 2', 'close 1'])
  })

  it('that cannot be had where it is to be stays where it is', async () => {
    await become(config(1))
    machine.taken.add(2)
    await expect(slot.prepare(config(2))).rejects.toMatchObject({
      reason: 'ListenFailed',
      fieldPath: 'spec.listeners.mcp',
      message: 'EADDRINUSE 2',
    })
    expect(slot.address?.port).toBe(1)
    expect(machine.events).toEqual(['open 1'])
  })

  it('is changed where it is when that can be', async () => {
    await become(config(1))
    await become(config(1, { certificate: 'two' }))
    expect(machine.events).toEqual(['open 1'])
    await expect(slot.prepare(config(1, { certificate: 'bad' }))).rejects.toMatchObject({ message: 'bad certificate' })
  })

  it('at a port that the system chose stays there, also where that port is asked for', async () => {
    await become(config(0))
    await become(config(0, { certificate: 'two' }))
    await become(config(CHOSEN))
    await become(config(CHOSEN, { scheme: 'http' }))
    expect(machine.events).toEqual(['open 40000', 'close 40000', 'open 40000'])
  })

  it('that has to be another one at the same address is closed first', async () => {
    await become(config(1))
    await become(config(1, { scheme: 'http' }))
    expect(machine.events).toEqual(['open 1', 'close 1', 'open 1'])
  })

  it('at another address of the same port is closed first, as both cannot be', async () => {
    await become(config(1))
    machine.change = async () => 'reopen'
    await become(config(1, { host: '0.0.0.0' }))
    expect(machine.events).toEqual(['open 1', 'close 1', 'open 1'])
    expect(slot.address?.host).toBe('0.0.0.0')
  })

  it(`${requirement('RLY-016')} is there again when the other one at its address cannot be had`, async () => {
    await become(config(1))
    const open = machine.open.bind(machine)
    machine.open = (one) => (one.scheme === 'http' ? Promise.reject(new Error('no')) : open(one))
    await expect(slot.prepare(config(1, { scheme: 'http' }))).rejects.toMatchObject({ reason: 'ListenFailed' })
    expect(slot.address?.port).toBe(1)
    expect(machine.taken).toEqual(new Set([1]))
  })

  it('that could not be had again either comes back with the next change that cannot be had', async () => {
    await become(config(1))
    const open = machine.open.bind(machine)
    machine.open = () => Promise.reject(new Error('no'))
    const other = config(1, { scheme: 'http' })
    await expect(slot.prepare(other)).rejects.toMatchObject({ reason: 'ListenFailed' })
    expect(slot.address).toBeUndefined()
    machine.open = (one) => (one.scheme === 'http' ? Promise.reject(new Error('no')) : open(one))
    await expect(slot.prepare(other)).rejects.toMatchObject({ reason: 'ListenFailed' })
    expect(slot.address?.port).toBe(1)
    machine.open = open
    await become(undefined)
    machine.open = () => Promise.reject(new Error('no'))
    await expect(slot.prepare(other)).rejects.toMatchObject({ reason: 'ListenFailed' })
    expect([slot.address, machine.taken]).toEqual([undefined, new Set()])
  })

  it.each([
    ['another address', config(2), ['open 1', 'open 2', 'close 2']],
    ['the same address', config(1, { scheme: 'http' }), ['open 1', 'close 1', 'open 1', 'close 1', 'open 1']],
    ['what it is where it is', config(1, { certificate: 'two' }), ['open 1', 'back to one']],
    ['nothing', undefined, ['open 1']],
  ])('that was prepared for %s, and is not to change after all, is as before', async (_what, after, events) => {
    await become(config(1))
    const change = await slot.prepare(after)
    await change.rollback()
    expect(machine.events).toEqual(events)
    expect(slot.address?.port).toBe(1)
  })
})
