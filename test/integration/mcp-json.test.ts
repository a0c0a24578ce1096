import { expect, it } from 'vitest'
import { isAlive } from '../fixtures/stdio/stdio-backend-harness.ts'
import { published } from '../real-peers/program.ts'
import { closed, fixture } from './clean-up.ts'
import { type AnyClient, callText, legacyClient, modernClient } from './clients.ts'
import { up } from './up.ts'

it('both generations of the published client call the servers of an mcpServers file where it says', async () => {
  const remote = await fixture('servers/everything.ts')
  const { child, ended, urlOf, servers } = await up(
    {
      everything: {
        command: published('mcp-server-everything'),
        args: ['stdio'],
        env: { GREETING: `\${TEST_GREETING}` },
      },
      remote: { type: 'http', url: remote.info.url },
    },
    { TEST_GREETING: 'hello from the environment' },
  )
  const generations: ((url: string) => Promise<AnyClient>)[] = [legacyClient, modernClient]
  for (const connect of generations) {
    const client = await closed(connect(urlOf('everything')))
    expect(await callText(client, 'echo', { message: 'through a process' })).toBe('Echo: through a process')
    const environment = await callText(client, 'get-env')
    expect(environment).toContain('"GREETING": "hello from the environment"')
    expect(environment, 'what no entry names').not.toContain('TEST_GREETING')
    const far = await closed(connect(urlOf('remote')))
    expect(await callText(far, 'echo', { message: 'through a URL' })).toBe('Echo: through a URL')
  }

  const started = servers()
  expect(started.length).toBeGreaterThanOrEqual(2)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(started.filter(isAlive), 'processes left behind').toEqual([])
})
