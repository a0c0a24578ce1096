import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { writeLayer } from '../../tools/image/layer.ts'
import { writeOciArchive } from '../../tools/image/oci-archive.ts'
import { architectureHere } from '../../tools/image/pack-image.ts'
import { run } from '../processes/command.ts'
import type { RunFolder } from '../processes/run-folder.ts'

/** What every pod's sandbox runs. */
export const PAUSE_IMAGE = 'docker.io/library/causeway-pause:1'

const SOURCE = fileURLToPath(new URL('pause.c', import.meta.url))
const NOBODY = '65535:65535'

/** Compiles the program and packs it, alone, as an image. Resolves with the archive. */
export async function makePauseImage(folder: RunFolder): Promise<string> {
  const program = folder.file('pause')
  await run('gcc', ['-static', '-Os', '-o', program, SOURCE])
  const entry = { type: 'file', path: 'pause', mode: 0o755, content: await readFile(program) } as const
  const layer = await writeLayer(folder.file('pause.layer'), 'pause', [entry], 0)
  const archive = folder.file('pause.tar')
  const settings = {
    name: PAUSE_IMAGE,
    architecture: architectureHere(),
    created: new Date(0),
    user: NOBODY,
    entrypoint: ['/pause'],
    command: [],
    environment: {},
    workingFolder: '/',
    labels: {},
  }
  await writeOciArchive(archive, settings, [layer])
  return archive
}
