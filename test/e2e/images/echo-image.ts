import { fileURLToPath } from 'node:url'
import { fileFrom } from '../../tools/image/files.ts'
import { APP, packImage } from '../../tools/image/pack-image.ts'

const ECHO_IMAGE = 'docker.io/library/causeway-echo:1'

const PROGRAM = fileURLToPath(new URL('echo-server.mjs', import.meta.url))

/** Packs the echo server; it listens on port 8080. */
export async function packEchoImage(archive: string): Promise<void> {
  const entries = [fileFrom(`${APP}/echo-server.mjs`, PROGRAM)]
  const parts = [{ createdBy: 'echo server', entries }]
  await packImage(archive, { name: ECHO_IMAGE, parts, command: ['echo-server.mjs'], labels: {}, createdSeconds: 0 })
}
