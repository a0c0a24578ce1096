import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { APP, packImage } from '../../tools/image/pack-image.ts'
import type { ImageFile } from '../../tools/image/product-image.ts'
import { moduleEntries, productionOf } from '../../tools/image/production-modules.ts'
import { ROOT } from '../../tools/step.ts'

const EVERYTHING = 'node_modules/@modelcontextprotocol/server-everything'

/** The reference MCP server as a pod runs it: streamable HTTP on the port that `PORT` says. */
export async function packEverythingImage(out: string): Promise<ImageFile> {
  const { version } = JSON.parse(readFileSync(join(ROOT, EVERYTHING, 'package.json'), 'utf8')) as { version: string }
  const name = `docker.io/library/server-everything:${version}`
  const digest = await packImage(out, {
    name,
    parts: [{ createdBy: 'server-everything', entries: moduleEntries(ROOT, APP, productionOf(ROOT, [EVERYTHING])) }],
    command: [`${EVERYTHING}/dist/index.js`, 'streamableHttp'],
    labels: { 'org.opencontainers.image.title': 'server-everything', 'org.opencontainers.image.version': version },
    createdSeconds: 0,
  })
  return { file: out, name, digest }
}
