import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RelayOptions, RelayStartError, type RunningRelay } from '@causeway/relay'
import { createMetrics } from '@causeway/telemetry'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CliHost } from './host.ts'
import { runProgram } from './program.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function file(text: string, name = 'mesh.yaml'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

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

/** A world in which relays start as told, and nothing is real. */
function world(start: (options: RelayOptions) => Partial<RunningRelay> = () => ({}), environment = {}) {
  const events: string[] = []
  const signals: (() => void)[] = []
  let out = ''
  let error = ''
  const running = Promise.withResolvers<void>()
  const host: CliHost = {
    environment,
    writeOut: (text) => {
      out += text
      if (text.includes('ready')) running.resolve()
    },
    writeError: (text) => {
      error += text
    },
    onStopSignal: (callback) => signals.push(callback),
    exitNow: () => events.push('exit now'),
    loadRelay: async () => ({ startRelay, RelayStartError }),
  }
  async function startRelay(options: RelayOptions): Promise<RunningRelay> {
    const made = start(options)
    events.push(`start ${options.relayName}`)
    return {
      name: options.relayName,
      peerHandle: `handle of ${options.relayName}`,
      addresses: { mcp: { host: '127.0.0.1', port: 8080 } },
      metrics: createMetrics(),
      ready: () => ({ ok: true, reasons: [] }),
      drain: async () => void events.push(`drain ${options.relayName}`),
      stop: async () => void events.push(`stop ${options.relayName}`),
      ...made,
    }
  }
  const signal = () => {
    for (const callback of signals) callback()
  }
  return { host, events, signal, running: running.promise, out: () => out, error: () => error }
}

describe('causeway up', () => {
  it('starts every relay, says where it listens, drains on a signal and ends with 0', async () => {
    const { host, events, signal, running, out } = world()
    const code = runProgram(['up', file(relay('edge') + routes), file(relay('far'), 'far.yaml')], host)
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
    expect(events).toEqual(['start default/edge', 'start default/far', 'drain default/edge', 'drain default/far'])
    expect(out()).toMatch(/stopped\n$/)
  })

  it('gives a relay absolute paths, the whole set, and a logger that names it', async () => {
    let given: RelayOptions | undefined
    const { host, signal, running, error } = world((options) => {
      given = options
      options.logger.info({}, 'hello')
      return {}
    })
    const code = runProgram(['up', file(relay('edge') + routes), '--log-level', 'info'], host)
    await running
    signal()
    await code
    expect(given?.resources.relays[0]?.spec.identity.keyFile).toBe(join(folder, 'edge.pem'))
    expect(given?.resources.routes).toHaveLength(1)
    const [line = ''] = error().split('\n')
    expect(JSON.parse(line)).toMatchObject({ level: 'info', relay: 'default/edge', msg: 'hello' })
  })

  it('a second signal ends the process while it drains', async () => {
    const draining = Promise.withResolvers<void>()
    const { host, events, signal, running } = world(() => ({ drain: () => draining.promise }))
    const code = runProgram(['up', file(relay('edge'))], host)
    await running
    signal()
    expect(events).not.toContain('exit now')
    signal()
    expect(events).toContain('exit now')
    draining.resolve()
    expect(await code).toBe(0)
  })

  it('a signal while relays are starting is not lost', async () => {
    const { host, events, signal } = world(() => {
      signal()
      return {}
    })
    expect(await runProgram(['up', file(relay('edge'))], host)).toBe(0)
    expect(events).toEqual(['start default/edge', 'drain default/edge'])
  })

  it('--relay starts one of them, by name or namespace and name', async () => {
    for (const name of ['far', 'default/far']) {
      const { host, events, signal, running } = world()
      const code = runProgram(['up', file(relay('edge') + relay('far')), '--relay', name], host)
      await running
      signal()
      expect(await code).toBe(0)
      expect(events).toEqual(['start default/far', 'drain default/far'])
    }
  })

  it('--relay of nobody, and files without a relay, are bad input', async () => {
    const { host, events, error } = world()
    expect(await runProgram(['up', file(relay('edge')), '--relay', 'moon'], host)).toBe(2)
    expect(error()).toBe('causeway: --relay does not name exactly one MeshRelay; the files describe default/edge\n')
    expect(await runProgram(['up', file('# nothing\n')], host)).toBe(2)
    expect(error()).toContain('the files describe no MeshRelay; there is nothing to start\n')
    expect(events).toEqual([])
  })

  it('every problem of every file, and nothing is started', async () => {
    const { host, events, error } = world()
    const bad = file(relay('edge').replace('8080', '80800'), 'bad.yaml')
    const worse = file('kind: [', 'worse.yaml')
    expect(await runProgram(['up', bad, worse], host)).toBe(2)
    expect(error().split('\n')).toEqual([
      `${bad}:5:63: MeshRelay/default/edge: spec.listeners.mcp.port: must be at most 65535`,
      expect.stringContaining(`${worse}:1:8: YAML: `),
      '',
    ])
    expect(events).toEqual([])
  })

  it('a relay that cannot start stops the others, and each reason is told', async () => {
    const { host, events, error } = world(({ relayName }) => {
      if (relayName === 'default/edge')
        throw new RelayStartError('KEY_FILE', 'spec.identity.keyFile', 'edge.pem does not exist')
      if (relayName === 'default/moon') throw new RelayStartError('LISTEN', 'spec.listeners.mcp', 'port 8080 is in use')
      return {}
    })
    const all = file(relay('edge') + relay('far') + relay('moon'))
    expect(await runProgram(['up', all], host)).toBe(1)
    expect(error()).toBe(
      'MeshRelay/default/edge: spec.identity.keyFile: edge.pem does not exist\n' +
        'MeshRelay/default/moon: spec.listeners.mcp: port 8080 is in use\n',
    )
    expect(events).toEqual(['start default/far', 'stop default/far'])
    expect(await runProgram(['up', all, '--relay', 'edge'], host), 'a wrong key file alone is bad input').toBe(2)
  })

  it('--json tells a program the same', async () => {
    const { host, signal, running, out } = world(({ relayName }) => {
      if (relayName === 'default/bad') throw new RelayStartError('LISTEN', 'spec.listeners.mcp', 'in use')
      return {}
    })
    const code = runProgram(['up', file(relay('edge')), '--json'], host)
    await running
    signal()
    await code
    await runProgram(['up', file(relay('bad')), '--json'], host)
    await runProgram(['up', join(folder, 'nothing.yaml'), '--json'], host)
    await runProgram(['up', file(relay('edge')), '--relay', 'moon', '--json'], host)
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
        failures: [{ relay: 'default/bad', code: 'LISTEN', fieldPath: 'spec.listeners.mcp', message: 'in use' }],
      },
      {
        event: 'refused',
        problems: [
          { file: join(folder, 'nothing.yaml'), line: 0, column: 0, fieldPath: '', message: 'does not exist' },
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
      const { host, error } = world()
      expect(await runProgram(args, host)).toBe(2)
      expect(error()).toMatch(/error: |Usage: /)
    },
  )

  it('--help and --version end well', async () => {
    const { host, out } = world()
    expect(await runProgram(['--help'], host)).toBe(0)
    expect(await runProgram(['--version'], host)).toBe(0)
    expect(out()).toMatch(/Usage: causeway[\s\S]*\n\d+\.\d+\.\d+\n$/)
  })

  it('a defect is told with its stack and ends with 1', async () => {
    const { host, error } = world(() => {
      throw new TypeError('a defect')
    })
    expect(await runProgram(['up', file(relay('edge'))], host)).toBe(1)
    expect(error()).toContain('causeway: TypeError: a defect\n    at ')
  })
})
