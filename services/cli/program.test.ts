import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Refused, type Started, useCliWorlds } from '../../test/fixtures/cli/cli-worlds.ts'
import { runProgram } from './program.ts'

const worlds = useCliWorlds()

const relay = (name: string) => `
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: {name: ${name}}
spec: {identity: {keyFile: ${name}.pem}, listeners: {mcp: {port: 8080}}}
---
`
const routes = `
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: {name: search}
spec: {relayRefs: [{name: edge}], mcp: {url: "http://127.0.0.1:3001/mcp"}}
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRoute
metadata: {name: search}
spec: {relayRefs: [{name: edge}], path: /search, transparent: {target: {backendRef: {name: search}}}}
---
`

const listenFailed = { reason: 'ListenFailed', fieldPath: 'spec.listeners.mcp' } as const

describe('causeway up', () => {
  it('starts every relay, says where it listens, drains on a signal and ends with 0', async () => {
    const { host, events, signal, running, out } = worlds.world()
    const code = runProgram(['up', worlds.file(relay('edge') + routes), worlds.file(relay('far'), 'far.yaml')], host)
    await running
    expect(out()).toBe(
      [
        'relay default/edge',
        '  identity handle of default/edge',
        '  mcp      http://127.0.0.1:8080/search',
        'relay default/far',
        '  identity handle of default/far',
        '  mcp      http://127.0.0.1:8080, no routes',
        'ready; Ctrl-C stops',
        '',
      ].join('\n'),
    )
    signal()
    expect(await code).toBe(0)
    expect(events.slice(0, 2)).toEqual(['start default/edge', 'start default/far'])
    expect(events.slice(2).sort()).toEqual(['drain default/edge', 'drain default/far'])
    expect(out()).toMatch(/stopped\n$/)
  })

  it('gives a relay absolute paths, all that names it, and a logger that names it', async () => {
    let given: Started | undefined
    const { host, signal, running, error } = worlds.world((options) => {
      given = options
      options.logger.info({}, 'hello')
      return {}
    })
    const code = runProgram(['up', worlds.file(relay('edge') + routes), '--log-level', 'info'], host)
    await running
    signal()
    await code
    const upserts = given?.change.upserts ?? []
    expect(upserts.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      'backend default/search',
      'relay default/edge',
      'route default/search',
    ])
    expect(upserts.find(({ kind }) => kind === 'relay')?.message).toMatchObject({
      identity: { key: { location: { case: 'path', value: join(worlds.folder, 'edge.pem') } } },
    })
    const line =
      error()
        .split('\n')
        .find((one) => one.includes('hello')) ?? ''
    expect(JSON.parse(line)).toMatchObject({ level: 'info', relay: 'default/edge', msg: 'hello' })
  })

  it('a second signal ends the process while it drains', async () => {
    const draining = Promise.withResolvers<void>()
    const { host, events, signal, running } = worlds.world(() => ({ drain: () => draining.promise }))
    const code = runProgram(['up', worlds.file(relay('edge'))], host)
    await running
    signal()
    expect(events).not.toContain('exit now')
    signal()
    expect(events).toContain('exit now')
    draining.resolve()
    expect(await code).toBe(0)
  })

  it('kills the servers of the relays that run when the process ends early, also while others are starting', async () => {
    const { host, events, exit, signal } = worlds.world(({ relayName }) => {
      if (relayName === 'default/far') {
        exit()
        signal()
      }
      return {}
    })
    await runProgram(['up', worlds.file(relay('edge') + relay('far'))], host)
    expect(events).toContain('kill the servers of default/edge')
  })

  it('a signal while relays are starting is not lost', async () => {
    const { host, events, signal } = worlds.world(() => {
      signal()
      return {}
    })
    expect(await runProgram(['up', worlds.file(relay('edge'))], host)).toBe(0)
    expect(events).toEqual(['start default/edge', 'drain default/edge'])
  })

  it('warns of programs and folders that are not there, of the relays that it starts, and starts them', async () => {
    const backend = (name: string, relayName: string, stdio: string) => `
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: {name: ${name}}
spec: {relayRefs: [{name: ${relayName}}], mcp: {stdio: {${stdio}}}}
---
`
    const config = worlds.file(
      [
        relay('edge') + relay('far'),
        backend('well', 'edge', 'command: node, cwd: .'),
        backend('slip', 'edge', 'command: no-such-program'),
        backend('lost', 'edge', 'command: ./gone.sh, cwd: nowhere'),
        backend('other', 'far', 'command: no-such-program'),
      ].join(''),
    )
    const made = worlds.world(() => ({}), { PATH: join(process.execPath, '..') })
    const code = runProgram(['up', config, '--relay', 'edge', '--json'], made.host)
    await made.running
    made.signal()
    expect(await code).toBe(0)
    const lost = `the program "${join(worlds.folder, 'gone.sh')}" is not there, or not executable`
    const nowhere = `the folder "${join(worlds.folder, 'nowhere')}" is not there`
    const warnings = made.error().split('\n')
    expect(warnings.filter((line) => line.startsWith('warning: '))).toEqual([
      `warning: MeshBackend/default/lost: spec.mcp.stdio.command: ${lost}`,
      `warning: MeshBackend/default/lost: spec.mcp.stdio.cwd: ${nowhere}`,
      'warning: MeshBackend/default/slip: spec.mcp.stdio.command: the program "no-such-program" is not found in PATH',
    ])
    expect(JSON.parse(made.out().split('\n')[0] ?? '')).toEqual({
      event: 'warning',
      kind: 'MeshBackend',
      name: 'default/lost',
      fieldPath: 'spec.mcp.stdio.command',
      message: lost,
    })
  })

  it('--relay starts one of them, by name or namespace and name', async () => {
    for (const name of ['far', 'default/far']) {
      const { host, events, signal, running } = worlds.world()
      const code = runProgram(['up', worlds.file(relay('edge') + relay('far')), '--relay', name], host)
      await running
      signal()
      expect(await code).toBe(0)
      expect(events).toEqual(['start default/far', 'drain default/far'])
    }
  })

  it('--relay of nobody, and files without a relay, are bad input', async () => {
    const { host, events, error } = worlds.world()
    expect(await runProgram(['up', worlds.file(relay('edge')), '--relay', 'moon'], host)).toBe(2)
    expect(error()).toBe('causeway: --relay does not name exactly one MeshRelay; the files describe default/edge\n')
    expect(await runProgram(['up', worlds.file('# nothing\n')], host)).toBe(2)
    expect(error()).toContain('the files describe no MeshRelay; there is nothing to start\n')
    expect(events).toEqual([])
  })

  it('every problem of every file, and nothing is started', async () => {
    const { host, events, error } = worlds.world()
    const bad = worlds.file(relay('edge').replace('8080', '80800'), 'bad.yaml')
    const worse = worlds.file('kind: [', 'worse.yaml')
    expect(await runProgram(['up', bad, worse], host)).toBe(2)
    expect(error().split('\n')).toEqual([
      `${bad}:5:63: MeshRelay/default/edge: spec.listeners.mcp.port: must be at most 65535`,
      expect.stringContaining(`${worse}:1:8: YAML: `),
      '',
    ])
    expect(events).toEqual([])
  })

  it('a relay that cannot start stops the others, and each reason is told', async () => {
    const { host, events, error } = worlds.world(({ relayName }) => {
      if (relayName === 'default/edge')
        throw new Refused(
          ...[
            {
              name: relayName,
              reason: 'FileUnusable',
              fieldPath: 'spec.identity.keyFile',
              message: 'edge.pem does not exist',
            },
          ],
          {
            kind: 'route',
            name: 'default/search',
            reason: 'DependencyRefused',
            fieldPath: '',
            message: 'the relay is refused',
          },
        )
      if (relayName === 'default/moon')
        throw new Refused({ ...listenFailed, name: relayName, message: 'port 8080 is in use' })
      return {}
    })
    const all = worlds.file(relay('edge') + relay('far') + relay('moon'))
    expect(await runProgram(['up', all], host)).toBe(1)
    expect(error()).toBe(
      'MeshRelay/default/edge: spec.identity.keyFile: edge.pem does not exist\n' +
        'MeshRelay/default/moon: spec.listeners.mcp: port 8080 is in use\n',
    )
    expect(events).toEqual(['start default/far', 'stop default/edge', 'stop default/far', 'stop default/moon'])
    expect(await runProgram(['up', all, '--relay', 'edge'], host), 'a wrong key file alone is bad input').toBe(2)
  })

  it.each([
    [
      'listen EADDRINUSE: address already in use 127.0.0.1:8080',
      '; end what listens there, which may be another causeway, or set spec.listeners.mcp.port to another port (0: any that is free)',
    ],
    [
      'listen EADDRNOTAVAIL: address not available 192.0.2.1:8080',
      '; this machine has no such address: set spec.listeners.mcp.host to one that it has',
    ],
    [
      'listen EACCES: permission denied 127.0.0.1:80',
      '; ports below 1024 are for privileged users: set spec.listeners.mcp.port to a higher one',
    ],
    ['something else', ''],
  ])('a listener that cannot be had is told with the way out: %s', async (message, wayOut) => {
    const { host, error } = worlds.world(() => {
      throw new Refused({ ...listenFailed, name: 'default/edge', message })
    })
    expect(await runProgram(['up', worlds.file(relay('edge'))], host)).toBe(1)
    expect(error()).toBe(`MeshRelay/default/edge: spec.listeners.mcp: ${message}${wayOut}\n`)
  })

  it('--json tells a program the same', async () => {
    const { host, signal, running, out } = worlds.world(({ relayName }) => {
      if (relayName === 'default/bad') throw new Refused({ ...listenFailed, name: relayName, message: 'in use' })
      return {}
    })
    const code = runProgram(['up', worlds.file(relay('edge')), '--json'], host)
    await running
    signal()
    await code
    await runProgram(['up', worlds.file(relay('bad')), '--json'], host)
    await runProgram(['up', join(worlds.folder, 'nothing.yaml'), '--json'], host)
    await runProgram(['up', worlds.file(relay('edge')), '--relay', 'moon', '--json'], host)
    const lines = out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(lines).toEqual([
      {
        event: 'started',
        relay: 'default/edge',
        peerHandle: 'handle of default/edge',
        addresses: { mcp: { host: '127.0.0.1', port: 8080 } },
      },
      { event: 'ready' },
      { event: 'stopped' },
      {
        event: 'not-started',
        failures: [
          {
            ...{ relay: 'default/bad', kind: 'MeshRelay', name: 'default/bad' },
            ...{ code: 'ListenFailed', fieldPath: 'spec.listeners.mcp', message: 'in use' },
          },
        ],
      },
      {
        event: 'refused',
        problems: [
          { file: join(worlds.folder, 'nothing.yaml'), line: 0, column: 0, fieldPath: '', message: 'does not exist' },
        ],
      },
      { event: 'refused', message: expect.stringContaining('--relay does not name') },
    ])
  })
})

describe('the command line', () => {
  it.each([[], ['up'], ['upp'], ['keys'], ['up', 'x', '--log-level', 'loud'], ['keys', 'show'], ['up', 'x', '--nope']])(
    '%j is refused with a hint',
    async (...args) => {
      const { host, error } = worlds.world()
      expect(await runProgram(args, host)).toBe(2)
      expect(error()).toMatch(/error: |Usage: /)
    },
  )

  it('--help and --version end well', async () => {
    const { host, out } = worlds.world()
    expect(await runProgram(['--help'], host)).toBe(0)
    expect(await runProgram(['--version'], host)).toBe(0)
    expect(out()).toMatch(/Usage: causeway[\s\S]*\n\d+\.\d+\.\d+\n$/)
  })

  it('a defect is told with its stack and ends with 1', async () => {
    const { host, error } = worlds.world()
    host.loadRelay = () => Promise.reject(new TypeError('a defect'))
    expect(await runProgram(['up', worlds.file(relay('edge'))], host)).toBe(1)
    expect(error()).toContain('causeway: TypeError: a defect\n    at ')
  })
})
