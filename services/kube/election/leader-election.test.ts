import { describe, expect, test } from 'vitest'
import { KubeVirtualClock } from '../../../test/fixtures/kube/virtual-clock.ts'
import { KubeError } from '../rest/kube-error.ts'
import { ELECTION_TIMING, LeaderElection } from './leader-election.ts'
import { MemoryLease } from './memory-lease.test-support.ts'

const { leaseDurationMs, renewDeadlineMs, retryMs } = ELECTION_TIMING

function candidate(lease: MemoryLease, clock: KubeVirtualClock, identity: string) {
  const events: string[] = []
  const errors: KubeError[] = []
  const election = new LeaderElection({
    client: lease,
    clock,
    random: () => 0.5,
    lease: { namespace: 'causeway', name: 'causeway-operator' },
    identity,
    acquired: () => events.push('acquired'),
    lost: (reason) => events.push(`lost: ${reason.message}`),
    failing: (error) => errors.push(error),
  })
  election.start()
  return { election, events, errors }
}

describe('given one candidate', () => {
  test('it becomes the leader at once and stays it', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const one = candidate(lease, clock, 'one')
    await clock.pass(60_000)
    expect(one.events).toEqual(['acquired'])
    expect(one.election.isLeader).toBe(true)
    expect(lease.spec).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 10, leaseTransitions: 0 })
    await one.election.stop()
  })

  test('a lease that somebody annotates is renewed all the same', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const one = candidate(lease, clock, 'one')
    await clock.pass(2_000)
    lease.touch()
    await clock.pass(60_000)
    expect(one.events).toEqual(['acquired'])
    expect(one.errors).toEqual([])
    expect(one.election.isLeader).toBe(true)
    await one.election.stop()
  })

  test('when the API server does not answer, the term ends at the renew deadline and not before', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const one = candidate(lease, clock, 'one')
    await clock.pass(50)
    const renewedAt = lease.spec.renewTime
    lease.isUnreachable = true
    await clock.pass(renewDeadlineMs - 100)
    expect(lease.spec.renewTime).toBe(renewedAt)
    expect(one.election.isLeader).toBe(true)
    await clock.pass(100)
    expect(one.election.isLeader).toBe(false)
    expect(one.events).toEqual(['acquired', `lost: lease causeway/causeway-operator: not renewed within 6000 ms`])
  })

  test('an answer counts from when the request was sent', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const one = candidate(lease, clock, 'one')
    let sentAtMs = 0
    await clock.pass(50)
    lease.beforeAnswer = async () => {
      sentAtMs = clock.now()
      clock.advance(4_000)
      lease.isUnreachable = true
    }
    await clock.pass(1.2 * retryMs, 10)
    expect(sentAtMs).toBeGreaterThan(0)
    await clock.pass(sentAtMs + renewDeadlineMs - 10 - clock.now(), 10)
    expect(one.election.isLeader).toBe(true)
    await clock.pass(20, 10)
    expect(one.election.isLeader).toBe(false)
  })

  test('an answer that comes after the term would be over makes no leader; the next one does', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    lease.beforeAnswer = async () => {
      clock.advance(renewDeadlineMs + 1_000)
      lease.beforeAnswer = async () => {}
    }
    const one = candidate(lease, clock, 'one')
    await clock.pass(50)
    expect(lease.spec.holderIdentity).toBe('one')
    expect(one.events).toEqual([])
    await clock.pass(1.2 * retryMs)
    expect(one.events).toEqual(['acquired'])
    await one.election.stop()
  })

  test('a process that was stopped is no leader when it wakes, before any timer has fired', async () => {
    const clock = new KubeVirtualClock()
    const one = candidate(new MemoryLease(), clock, 'one')
    await clock.pass(50)
    expect(one.election.isLeader).toBe(true)
    clock.now = () => 1_000 + 30_000
    expect(one.election.isLeader).toBe(false)
    expect(one.events).toEqual(['acquired'])
  })
})

describe('given a leader and a candidate', () => {
  test('the candidate waits while the lease is renewed', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const one = candidate(lease, clock, 'one')
    await clock.pass(50)
    const two = candidate(lease, clock, 'two')
    await clock.pass(120_000)
    expect(two.events).toEqual([])
    expect(two.election.holder).toBe('one')
    await Promise.all([one.election.stop(), two.election.stop()])
  })

  test('a leader that stops gives the lease back, and the next retry takes it', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const one = candidate(lease, clock, 'one')
    await clock.pass(50)
    const two = candidate(lease, clock, 'two')
    await clock.pass(2_000)
    await one.election.stop()
    expect(one.events).toEqual(['acquired'])
    await clock.pass(1.2 * retryMs)
    expect(two.events).toEqual(['acquired'])
    expect(lease.spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 })
    await two.election.stop()
  })

  test('also one that stops while a renewal is under way, which is taken although nobody waits for the answer', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const one = candidate(lease, clock, 'one')
    await clock.pass(50)
    let stopped: Promise<void> | undefined
    lease.beforeAnswer = async () => {
      lease.beforeAnswer = async () => {}
      stopped = one.election.stop()
      throw new KubeError('Aborted', 'the request was given up')
    }
    await clock.pass(1.2 * retryMs)
    await stopped
    expect(stopped).toBeDefined()
    expect([lease.spec.holderIdentity, one.errors]).toEqual(['', []])
  })

  test('one that stops takes nothing from whoever has taken the lease meanwhile', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const one = candidate(lease, clock, 'one')
    await clock.pass(50)
    lease.usurp('two')
    await one.election.stop()
    expect([lease.spec.holderIdentity, one.errors]).toEqual(['two', []])
  })

  test.each([
    { name: 'an hour behind', offsetMs: -3_600_000 },
    { name: 'an hour ahead', offsetMs: 3_600_000 },
  ])(
    'with a wall clock $name, a silent leader is replaced after the lease duration, never before',
    async ({ offsetMs }) => {
      const clock = new KubeVirtualClock()
      const theirs = new KubeVirtualClock()
      theirs.wallOffsetMs += offsetMs
      const lease = new MemoryLease()
      const one = candidate(lease, theirs, 'one')
      await theirs.pass(50)
      const two = candidate(lease, clock, 'two')
      await clock.pass(leaseDurationMs - 100)
      expect(two.events).toEqual([])
      await clock.pass(1.2 * retryMs + 100)
      expect(two.events).toEqual(['acquired'])
      // The one that was silent wakes and finds that it is over.
      await theirs.pass(1.2 * retryMs)
      expect(one.events.at(-1)).toBe('lost: lease causeway/causeway-operator: taken by two')
      expect(one.election.isLeader).toBe(false)
      await two.election.stop()
    },
  )

  test('a leader whose lease was taken by force gives way', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const one = candidate(lease, clock, 'one')
    await clock.pass(50)
    lease.usurp('hand')
    await clock.pass(4 * retryMs)
    expect(one.events).toEqual(['acquired', 'lost: lease causeway/causeway-operator: taken by hand'])
    expect(lease.spec.holderIdentity).toBe('hand')
  })

  test('two that come at the same time are never leaders together', async () => {
    const clock = new KubeVirtualClock()
    const lease = new MemoryLease()
    const all = ['one', 'two', 'three'].map((identity) => candidate(lease, clock, identity))
    await clock.pass(30_000)
    expect(all.filter(({ election }) => election.isLeader)).toHaveLength(1)
    expect(all.flatMap(({ events }) => events)).toEqual(['acquired'])
    await Promise.all(all.map(({ election }) => election.stop()))
  })
})
