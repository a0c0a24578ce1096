import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@causeway/npamp/transports'
import { createLogger } from '@causeway/telemetry'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FileWatch } from './file-watch.ts'

let root: string
let folder: string
let told: number
let files: FileWatch<string>

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'causeway-'))
  folder = join(root, 'certificates')
  mkdirSync(folder)
  write('first')
  told = 0
  const logger = createLogger({ destination: { write() {} } })
  files = new FileWatch({ clock: systemClock(), logger, onChanged: () => told++ })
  files.set('owner', [join(folder, 'tls.crt')])
})
afterEach(() => {
  files.close()
  rmSync(root, { recursive: true })
})

const write = (text: string, where = folder): void => writeFileSync(join(where, 'tls.crt'), text)

/** Something was told, and since then nothing more. */
async function untilTold(): Promise<void> {
  await expect.poll(() => told, { timeout: 20_000 }).toBeGreaterThan(0)
  told = 0
}

it('tells of a file that changes', async () => {
  write('second')
  await untilTold()
})

it('goes on where the folder was replaced by another of its name', async () => {
  const next = join(root, 'next')
  mkdirSync(next)
  write('second', next)
  renameSync(folder, join(root, 'old'))
  renameSync(next, folder)
  await untilTold()
  write('third')
  await untilTold()
})

it('tells when a folder that had gone is there again', async () => {
  rmSync(folder, { recursive: true })
  await untilTold()
  mkdirSync(folder)
  write('second')
  await untilTold()
})
