import { describe, expect, it } from 'vitest'
import { startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { pythonCommand, runPython, startPython } from '../fixtures/python/python.ts'
import { closed, stopped } from '../integration/clean-up.ts'
import { callText, legacyClient, modernClient, PIN_MODERN } from '../integration/clients.ts'

interface Said {
  readonly version: string
  readonly sum: string
  readonly progress: readonly number[]
  readonly resource: string
  readonly confirmed?: string
}

const MODES = [
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
  ['2026-07-28', '2026-07-28'],
] as const

/** Python takes its time to start, and here it does so again and again. */
const SLOW = { timeout: 120_000 }

describe.each(['sdk_server.py', 'fastmcp_server.py'])('%s behind the mesh', SLOW, (script) => {
  it.each(MODES)('serves the Python client in mode %s as it does directly', async (mode, version) => {
    const { info } = await stopped(startPython(script))
    const { endpoint } = await stopped(startMeshHere({ backends: { python: info.url } }))
    const direct = await runPython<Said>('sdk_client.py', info.url, mode)
    const through = await runPython<Said>('sdk_client.py', endpoint('python'), mode)
    expect(through).toEqual(direct)
    expect(through).toMatchObject({ version, sum: '42', progress: [1, 2, 3] })
  })

  it('serves both generations of the TypeScript client', async () => {
    const { info } = await stopped(startPython(script))
    const { endpoint } = await stopped(startMeshHere({ backends: { python: info.url } }))
    const legacy = await closed(legacyClient(endpoint('python')))
    expect(await callText(legacy, 'add', { a: 1, b: 2 })).toBe('3')
    const modern = await closed(modernClient(endpoint('python'), PIN_MODERN))
    expect(await callText(modern, 'add', { a: 1, b: 2 })).toBe('3')
  })
})

describe('a server on the Python SDK over stdio', SLOW, () => {
  it.each(MODES)('serves the Python client in mode %s', async (mode, version) => {
    const stdio = pythonCommand('sdk_server.py', '--stdio')
    const { endpoint } = await stopped(startMeshHere({ backends: { python: { stdio } } }))
    const said = await runPython<Said>('sdk_client.py', endpoint('python'), mode)
    expect(said).toMatchObject({ version, sum: '42', progress: [1, 2, 3], resource: 'hello from python' })
    if (mode === 'legacy') expect(said.confirmed).toBe('accept')
  })
})
