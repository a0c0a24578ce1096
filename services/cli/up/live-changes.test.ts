import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Refused, type Started, useCliWorlds } from '../../../test/fixtures/cli/cli-worlds.ts'
import { runProgram } from '../program.ts'

const worlds = useCliWorlds()

const relay = (name: string) =>
  `{apiVersion: mesh.causeway.dev/v1alpha1, kind: MeshRelay, metadata: {name: ${name}}, spec: {listeners: {mcp: {port: 0}}}}\n---\n`
const backend = (name: string, port = 3001, relayName = 'edge') =>
  `{apiVersion: mesh.causeway.dev/v1alpha1, kind: MeshBackend, metadata: {name: ${name}}, spec: {relayRefs: [{name: ${relayName}}], mcp: {url: "http://127.0.0.1:${port}/mcp"}}}\n---\n`

/** `causeway up` with this file, until the test has done what it does. */
async function running(
  text: string,
  during: (world: ReturnType<typeof worlds.world>, write: (text: string) => void) => Promise<void>,
  { start = () => ({}), args = [] }: { start?: (started: Started) => object; args?: readonly string[] } = {},
): Promise<void> {
  const file = worlds.file(text)
  const world = worlds.world(start)
  const code = runProgram(['up', file, ...args], world.host)
  await world.running
  await during(world, (changed) => writeFileSync(file, changed))
  world.signal()
  expect(await code).toBe(0)
}

const changesOf = (started: Started): string[] => [
  ...started.change.upserts.map(({ kind, name }) => `+${kind} ${name}`),
  ...started.change.removals.map(({ kind, name }) => `-${kind} ${name}`),
]

describe('changes of the files of causeway up', () => {
  it('go into force while the relays run, only what is different', async () => {
    const changes: string[][] = []
    const start = (started: Started) => {
      changes.push(changesOf(started))
      return {}
    }
    await running(
      relay('edge') + backend('a') + backend('b'),
      async ({ out }, write) => {
        write(relay('edge') + backend('a', 3002) + backend('c'))
        await expect.poll(out).toContain('relay default/edge follows the change\n')
      },
      { start },
    )
    expect(changes[1]?.sort()).toEqual(['+backend default/a', '+backend default/c', '-backend default/b'])
  })

  it('that are broken are told with their place, and what was good stays', async () => {
    await running(relay('edge') + backend('a'), async ({ error, events, out }, write) => {
      write(`${relay('edge')}${backend('a')}${backend('b').replace('mcp:', 'mpc:')}`)
      await expect.poll(error).toContain('MeshBackend/default/b: spec.mpc: unknown field "mpc"; did you mean mcp?\n')
      expect(error()).toMatch(/mesh\.yaml:5:\d+: /)
      expect(error()).toContain('causeway: what was in force before stays\n')
      expect(events).toEqual(['start default/edge'])
      write(relay('edge') + backend('a') + backend('b'))
      await expect.poll(out).toContain('follows the change')
    })
  })

  it('that a relay cannot put into force are told, with the way out', async () => {
    const start = ({ isFirst, relayName }: Started) => {
      if (isFirst) return {}
      const fieldPath = 'spec.listeners.mcp'
      throw new Refused({ name: relayName, reason: 'ListenFailed', fieldPath, message: 'listen EADDRINUSE: 8080' })
    }
    await running(
      relay('edge'),
      async ({ error }, write) => {
        write(relay('edge').replace('port: 0', 'port: 8080'))
        await expect
          .poll(error)
          .toMatch(/MeshRelay\/default\/edge: spec\.listeners\.mcp: listen EADDRINUSE.*before stays\n/)
      },
      { start },
    )
  })

  it('start relays that are new and stop those that are gone', async () => {
    await running(relay('edge') + relay('far'), async ({ events, out }, write) => {
      write(relay('edge') + relay('third'))
      await expect.poll(out).toContain('relay default/third\n')
      expect(events).toEqual(['start default/edge', 'start default/far', 'drain default/far', 'start default/third'])
      expect(out()).toContain('relay default/far stopped\n')
    })
  })

  it('with --relay concern that one', async () => {
    await running(
      relay('edge') + relay('far'),
      async ({ events, error }, write) => {
        write(relay('edge') + relay('third'))
        await expect.poll(error).toContain('--relay does not name exactly one MeshRelay')
        expect(events).toEqual(['start default/far'])
      },
      { args: ['--relay', 'far'] },
    )
  })

  it('are JSON lines for a program', async () => {
    await running(
      relay('edge') + backend('a'),
      async ({ out }, write) => {
        const events = () =>
          out()
            .split('\n')
            .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
        write('kind: [')
        await expect.poll(events).toContainEqual(expect.objectContaining({ event: 'refused' }))
        write(relay('edge') + backend('b'))
        await expect.poll(events).toContainEqual(expect.objectContaining({ event: 'changed', relay: 'default/edge' }))
        expect(events().map(({ event }) => event)).toEqual(['started', 'ready', 'refused', 'taken', 'changed'])
      },
      { args: ['--json'] },
    )
  })

  it('of an mcpServers file too: the servers are printed anew', async () => {
    const servers = (...names: string[]) =>
      JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { url: 'https://h.example/mcp' }])) })
    const file = worlds.file(servers('a'), 'mcp.json')
    const { host, signal, out, running: started } = worlds.world()
    const code = runProgram(['up', '--mcp-json', file, '--port', '0'], host)
    await started
    writeFileSync(file, servers('a', 'b'))
    await expect.poll(out).toContain('http://127.0.0.1:8080/b/mcp')
    signal()
    expect(await code).toBe(0)
  })
})

it('causeway up --admin answers the state of the mesh', async () => {
  await running(
    relay('edge') + backend('a'),
    async ({ out }) => {
      const url = /^status (\S+)$/m.exec(out())?.[1] ?? expect.fail('no address was printed')
      const status = async () => (await fetch(url)).json()
      await expect.poll(status).toMatchObject({
        resources: [
          {
            kind: 'MeshBackend',
            metadata: { namespace: 'default', name: 'a', generation: 1 },
            spec: { mcp: { url: 'http://127.0.0.1:3001/mcp' } },
            status: {
              conditions: [{ type: 'Accepted', status: 'True' }, { type: 'Programmed', status: 'True' }, {}, {}],
            },
          },
          { kind: 'MeshRelay', status: { relayCount: 1 } },
        ],
      })
      expect((await fetch(new URL('/readyz', url))).status).toBe(200)
    },
    { args: ['--admin', '127.0.0.1:0'] },
  )
})

it('causeway up --admin says what is wrong with files that are not in force', async () => {
  await running(
    relay('edge') + backend('a'),
    async ({ out }, write) => {
      const url = /^status (\S+)$/m.exec(out())?.[1] ?? expect.fail('no address was printed')
      const refused = async () => ((await (await fetch(url)).json()) as { refused: unknown }).refused
      expect(await refused()).toEqual([])
      write(relay('edge') + backend('a').replace('relayRefs', 'relayRef'))
      await expect.poll(refused).toContainEqual(expect.stringMatching(/spec\.relayRef: unknown field/))
      write(relay('edge') + backend('b'))
      await expect.poll(refused).toEqual([])
    },
    { args: ['--admin', '127.0.0.1:0'] },
  )
})

it.each(['nowhere', '127.0.0.1', 'a:b', 'h:65536', 'h :1'])('--admin %j is refused', async (value) => {
  const { host, error } = worlds.world()
  expect(await runProgram(['up', join(worlds.folder, 'x.yaml'), '--admin', value], host)).toBe(2)
  expect(error()).toContain('It must be host:port')
})
