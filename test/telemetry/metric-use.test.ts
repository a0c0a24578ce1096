import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { METRIC_TABLE } from '@causeway/telemetry'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const DEPLOYABLES = ['services/relay', 'services/control-plane', 'operator']

/** A metric that nobody writes is a dashboard that shows nothing. */
it('every metric of the table is written by somebody', () => {
  const text = DEPLOYABLES.flatMap(sources).join('\n')
  const unwritten = Object.keys(METRIC_TABLE).filter((name) => !text.includes(`'${name}'`))
  expect(unwritten).toEqual([])
})

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))
}
