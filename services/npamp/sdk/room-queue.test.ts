import { describe, expect, it } from 'vitest'
import { RoomQueue } from './room-queue.ts'

describe('RoomQueue', () => {
  it('runs at once while there is room, and settles as what it ran', async () => {
    const queue = new RoomQueue(() => false)
    await expect(queue.run(() => 7)).resolves.toBe(7)
    await expect(
      queue.run(() => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
  })

  it('keeps the order of those that wait, and lets go of as many as there is room for', async () => {
    let room = 0
    const ran: number[] = []
    const queue = new RoomQueue(() => room === 0)
    const run = (n: number) =>
      queue.run(() => {
        room--
        ran.push(n)
      })
    const all = [run(1), run(2), run(3)]
    expect(ran).toEqual([])
    room = 2
    queue.drained()
    expect(ran).toEqual([1, 2])
    room = 2
    // Not before the one that waits.
    all.push(run(4))
    expect(ran).toEqual([1, 2])
    queue.drained()
    await Promise.all(all)
    expect(ran).toEqual([1, 2, 3, 4])
  })
})
