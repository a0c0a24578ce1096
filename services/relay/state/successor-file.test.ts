import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signSuccessor } from '@causeway/npamp'
import { createLogger } from '@causeway/telemetry'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newIdentity } from '../../../test/fixtures/mesh/memory-mesh.ts'
import type { KeptSuccessor } from '../mesh/successor-store.ts'
import { openSuccessorFile } from './successor-file.ts'

let folder: string
let lines: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
  lines = []
})
afterEach(() => rmSync(folder, { recursive: true }))

const logger = createLogger({ destination: { write: (line) => lines.push(line) } })

function kept(receivedS = 1_790_000_000): KeptSuccessor {
  const [current, next] = [newIdentity(), newIdentity()]
  const { scheme, publicKey } = current.key
  const terms = { notBeforeS: 1_789_000_000, notAfterS: 1_791_000_000 }
  return {
    current: { scheme, publicKey },
    statement: signSuccessor(terms, current.key, next.key, current.provider),
    receivedS,
  }
}

const plain = (all: ReadonlyMap<string, readonly KeptSuccessor[]>) =>
  [...all].map(([name, some]) => [name, some.map(({ statement }) => Buffer.from(statement).toString('hex'))])

async function written(path: string): Promise<void> {
  await expect.poll(() => readdirSync(path)).toEqual(['successors.json'])
}

describe('successors in a file', () => {
  it('are there again, in order', async () => {
    const state = join(folder, 'state')
    const store = await openSuccessorFile(state, logger)
    expect(store.load()).toEqual(new Map())
    const all = new Map([
      ['default/a', [kept(), kept()]],
      ['default/b', [kept()]],
    ])
    store.save(new Map())
    store.save(all)
    await written(state)
    await expect.poll(async () => plain((await openSuccessorFile(state, logger)).load())).toEqual(plain(all))
    expect(readFileSync(join(state, 'successors.json'), 'utf8')).not.toContain('PRIVATE')
    expect(lines).toEqual([])
  })

  it.each([
    '',
    '{}',
    '{"version":1,"successors":[{"peer":"x"}]}',
    '{"version":1,"successors":[{"peer":"x","current":"AA==","statement":"AA==","receivedS":1}]}',
  ])('that cannot be read are told, and there are none: %j', async (text) => {
    writeFileSync(join(folder, 'successors.json'), text)
    expect((await openSuccessorFile(folder, logger)).load()).toEqual(new Map())
    expect(lines[0]).toContain('what peers announced of their next keys cannot be read')
  })

  it('that cannot be written are told', async () => {
    writeFileSync(join(folder, 'state'), 'a file')
    const store = await openSuccessorFile(join(folder, 'state'), logger)
    store.save(new Map([['default/a', [kept()]]]))
    await expect.poll(() => lines.at(-1)).toContain('cannot be written')
  })
})
