import { describe, expect, it } from 'vitest'
import { readSettings, UsageError, usage } from './options.ts'

const LEAST = ['--namespace=system', '--relay-image=causeway:1']
const read = (args: readonly string[], environment: Record<string, string> = {}) =>
  readSettings([...LEAST, ...args], environment)

describe('the settings of the operator', () => {
  it('have defaults for all but its namespace and the image', () => {
    expect(read([])).toMatchObject({
      installation: { name: 'system', namespace: 'system', trustDomain: 'causeway.local', relayImage: 'causeway:1' },
      watched: ['system'],
      admin: { host: '127.0.0.1', port: 9090 },
      kubeconfig: undefined,
      deletionHoldMs: 3_600_000,
      identitySettleMs: 600_000,
      lives: { leafMs: 24 * 3_600_000 },
    })
    expect(() => readSettings(LEAST.slice(1), {})).toThrow(/--namespace is needed/)
    expect(() => readSettings(LEAST.slice(0, 1), {})).toThrow(/--relay-image is needed/)
  })

  it('come from flags, else from the environment', () => {
    const environment = { CAUSEWAY_TRUST_DOMAIN: 'one.example', CAUSEWAY_WATCH_NAMESPACES: 'a,b,a' }
    expect(read([], environment)).toMatchObject({ watched: ['a', 'b'], installation: { trustDomain: 'one.example' } })
    const flags = read(['--trust-domain=two.example', '--admin', '[::]:9000'], environment)
    expect(flags).toMatchObject({ installation: { trustDomain: 'two.example' }, admin: { host: '::', port: 9_000 } })
  })

  it('watch the whole cluster only with a second word', () => {
    expect(() => read(['--watch-namespaces=*'])).toThrow(/needs --cluster-wide/)
    expect(read(['--watch-namespaces=*', '--cluster-wide']).watched).toBe('*')
  })

  it.each([
    [['--flavour=vanilla'], /flavour/],
    [['--admin=9090'], /host:port/],
    [['--admin=:9090'], /host:port/],
    [['--admin=h:70000'], /host:port/],
    [['--deletion-hold=soon'], /--deletion-hold must be a duration/],
    [['--log-level=loud'], /--log-level/],
    [['--image-pull-policy=Sometimes'], /--image-pull-policy/],
    [['--watch-namespaces=,'], /no namespace/],
  ])('are refused: %j', (args, words) => {
    expect(() => read(args)).toThrow(words)
    expect(() => read(args)).toThrow(UsageError)
  })

  it('are told, each in a line', () => {
    expect(usage().split('\n').length).toBeGreaterThan(10)
  })
})
