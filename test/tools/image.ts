/**
 * `npm run image`: compiles the packages and packs one image of them, without a container engine, as an OCI layout tar for
 * `ctr images import`, `docker load` and their like. Times in it are SOURCE_DATE_EPOCH, or 0.
 */
import { join, resolve } from 'node:path'
import { packProductImage } from './image/product-image.ts'
import { readOptions } from './options.ts'
import { ROOT, runStep } from './step.ts'

const { out, repository } = readOptions(
  {
    out: { type: 'string', default: join(ROOT, 'dist/causeway-image.tar') },
    repository: { type: 'string', default: 'docker.io/library/causeway' },
  },
  'npm run image -- [--out FILE] [--repository NAME]',
)

const compiled = join(ROOT, 'dist/packages')
const build = await runStep({ name: 'build', command: ['node', 'test/tools/build.ts', '--out', compiled] })
if (!build.ok) process.exit(1)
const createdSeconds = Number(process.env.SOURCE_DATE_EPOCH ?? 0)
const image = await packProductImage(resolve(out), { compiled, repository, createdSeconds })
console.log(`\nimage   ${image.name}\ndigest  ${image.digest}\nfile    ${image.file}`)
