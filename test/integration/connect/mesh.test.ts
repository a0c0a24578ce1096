import { expect, it } from 'vitest'
import { startTwoRelays } from '../../fixtures/mesh/two-relays.ts'
import { fixture, stopped } from '../clean-up.ts'
import { callText, PIN_MODERN } from '../clients.ts'
import { legacyHost, modernHost } from './hosts.ts'

/** A desktop host, `causeway-connect`, two relays and a server: every piece a process of its own. */

async function mesh() {
  const [everything, modern] = await Promise.all([fixture('servers/everything.ts'), fixture('servers/modern.ts')])
  return stopped(startTwoRelays({ backends: { everything: everything.info.url, modern: modern.info.url } }))
}

it('hosts of both generations call the tools of both servers', async () => {
  const { endpoint } = await mesh()
  const legacy = await legacyHost(endpoint('everything'))
  expect(await callText(legacy, 'echo', { message: 'hello' })).toBe('Echo: hello')
  expect(await callText(legacy, 'trigger-sampling-request', { prompt: 'p' })).toContain('sampled here')
  expect(await callText(legacy, 'get-roots-list')).toContain('the root')
  const modern = await modernHost(endpoint('modern'), PIN_MODERN)
  expect(await callText(modern, 'add', { a: 19, b: 23 })).toBe('42')
  const fallenBack = await modernHost(endpoint('everything'), 'auto')
  expect(await callText(fallenBack, 'get-sum', { a: 19, b: 23 })).toContain('42')
})

it('a relay that was killed and started again has lost the session, and the host notices nothing', async () => {
  const relays = await mesh()
  const host = await legacyHost(relays.endpoint('everything'))
  expect(await callText(host, 'echo', { message: 'before' })).toBe('Echo: before')
  await relays.edge.kill()
  await relays.restartEdge()
  expect(await callText(host, 'echo', { message: 'after' })).toBe('Echo: after')
})
