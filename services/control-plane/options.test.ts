import { describe, expect, it } from 'vitest'
import { readSettings, UsageError } from './options.ts'

const CLUSTER = ['--namespace', 'causeway']

describe('the settings of a control plane', () => {
  it('have defaults for all but the namespace', () => {
    expect(readSettings(CLUSTER, {})).toEqual({
      namespace: 'causeway',
      installation: 'causeway',
      source: { place: 'cluster', namespaces: ['causeway'], kubeconfig: undefined, watchSilenceMs: 150_000 },
      trustDomain: 'causeway.local',
      tlsFolder: '/etc/causeway/tls',
      listen: { host: '0.0.0.0', port: 8443 },
      statusListen: { host: '0.0.0.0', port: 8444 },
      advertised: '0.0.0.0:8444',
      admin: { host: '127.0.0.1', port: 9090 },
      logLevel: 'info',
    })
  })

  it('come from flags, or from the environment; a flag wins', () => {
    const environment = { CAUSEWAY_TRUST_DOMAIN: 'env', CAUSEWAY_WATCH_NAMESPACES: 'a,b,a', POD_IP: '10.1.2.3' }
    const settings = readSettings([...CLUSTER, '--trust-domain', 'flag', '--listen', '[::]:1'], environment)
    expect(settings).toMatchObject({
      trustDomain: 'flag',
      source: { namespaces: ['a', 'b'] },
      listen: { host: '::', port: 1 },
      advertised: '10.1.2.3:8444',
    })
    const six = readSettings([...CLUSTER, '--watch-namespaces', '*'], { POD_IP: 'fd00::1' })
    expect(six).toMatchObject({ advertised: '[fd00::1]:8444', source: { namespaces: '*' } })
  })

  it('may name files in place of a cluster', () => {
    expect(readSettings(['--files', 'a.yaml,b', '--state', '/s'], {})).toMatchObject({
      namespace: 'default',
      source: { place: 'files', paths: ['a.yaml', 'b'], stateFolder: '/s' },
    })
  })

  it.each([
    [[], '--namespace is needed: the namespace that it runs in'],
    [[...CLUSTER, '--nope'], "Unknown option '--nope'"],
    [[...CLUSTER, 'x'], /Unexpected argument 'x'/],
    [[...CLUSTER, '--listen', '8443'], '--listen must be host:port'],
    [[...CLUSTER, '--admin', 'h:65536'], '--admin must be host:port'],
    [[...CLUSTER, '--watch-namespaces', ','], '--watch-namespaces names no namespace'],
    [[...CLUSTER, '--log-level', 'loud'], /--log-level must be one of/],
    [[...CLUSTER, '--state', '/s'], '--state belongs to --files'],
    [['--files', 'a', '--kubeconfig', 'k'], 'either --files or --kubeconfig'],
  ])('%j is refused', (argv, message) => {
    expect(() => readSettings(argv, {})).toThrow(UsageError)
    expect(() => readSettings(argv, {})).toThrow(message)
  })
})
