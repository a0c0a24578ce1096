import { describe, expect, it } from 'vitest'
import { readSettings, UsageError, usage } from './settings.ts'

const NEEDED = ['--namespace', 'default', '--name', 'edge', '--control-plane', 'cp:8443']
const read = (argv: readonly string[], environment = {}, hostName = 'laptop') =>
  readSettings(argv, environment, hostName)

describe('the settings of a relay process', () => {
  it('have defaults for whatever an operator mounts', () => {
    expect(read(NEEDED)).toEqual({
      namespace: 'default',
      name: 'edge',
      ordinal: 0,
      controlPlanes: ['cp:8443'],
      serverName: undefined,
      mountsFolder: '/etc/causeway',
      stateFolder: '/var/lib/causeway',
      admin: { host: '127.0.0.1', port: 9090 },
      retireAfterMs: 3_600_000,
      logLevel: 'info',
    })
  })

  it('come from the environment too, where a flag counts more', () => {
    const environment = {
      CAUSEWAY_NAMESPACE: 'team',
      CAUSEWAY_NAME: 'far.edge',
      CAUSEWAY_CONTROL_PLANE: 'one:1, [::1]:2,one:1',
      CAUSEWAY_ADMIN: '[::]:0',
      CAUSEWAY_ORDINAL: '',
    }
    expect(read(['--name', 'edge'], environment, 'causeway-edge-17')).toMatchObject({
      namespace: 'team',
      name: 'edge',
      ordinal: 17,
      controlPlanes: ['one:1', '[::1]:2'],
      admin: { host: '::', port: 0 },
    })
  })

  it.each([
    [[], '--namespace is needed: of the MeshRelay'],
    [NEEDED.slice(0, 4), '--control-plane is needed: host:port, several with commas between them'],
    [[...NEEDED, '--names', 'x'], "Unknown option '--names'"],
    [[...NEEDED, 'x'], "Unexpected argument 'x'"],
    [[...NEEDED, '--namespace', 'Team'], '--namespace is not a namespace of Kubernetes, as in default'],
    [[...NEEDED, '--name', '../edge'], '--name is not a name of Kubernetes, as in edge'],
    [[...NEEDED, '--ordinal', '1000001'], '--ordinal must be a number from 0 to 1000000'],
    [[...NEEDED, '--ordinal', '1e3'], '--ordinal must be a number from 0 to 1000000'],
    [[...NEEDED, '--control-plane', 'cp'], '--control-plane must be host:port'],
    [[...NEEDED, '--control-plane', 'cp:8443,'], '--control-plane must be host:port'],
    [[...NEEDED, '--control-plane', 'cp:0'], '--control-plane must be host:port'],
    [[...NEEDED, '--control-plane', 'unix:/x:1'], '--control-plane must be host:port'],
    [[...NEEDED, '--admin', ':9090'], '--admin must be host:port'],
    [[...NEEDED, '--admin', 'host:65536'], '--admin must be host:port'],
    [[...NEEDED, '--log-level', 'loud'], '--log-level must be one of trace, debug, info, warn, error, fatal, silent'],
  ])('%j are refused', (argv, message) => {
    const refused = () => read(argv)
    expect(refused).toThrow(UsageError)
    expect(refused).toThrow(message)
  })

  it('are told one a line', () => {
    expect(usage()).toMatch(/^causeway relay\n {2}--namespace {10}of the MeshRelay\n/)
  })
})
