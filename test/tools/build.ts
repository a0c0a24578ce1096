/** `npm run build`: compiles the packages to `dist`, a tree that runs without type stripping (for images). */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readOptions } from './options.ts'
import { ROOT, runStep } from './step.ts'

const options = readOptions({ out: { type: 'string', default: 'dist' } }, 'npm run build -- [--out FOLDER]')
const out = resolve(options.out)

// What is no longer in the sources must not be in an image either.
rmSync(out, { recursive: true, force: true })
const compiled = await runStep({ name: 'compile', command: ['tsc', '-p', 'tsconfig.build.json', '--outDir', out] })
if (!compiled.ok) process.exit(1)

const packages = readdirSync(join(ROOT, 'services')).map((name) => `services/${name}`)
for (const folder of [...packages, 'operator']) {
  const to = join(out, folder)
  mkdirSync(to, { recursive: true })
  const manifest = readFileSync(join(ROOT, folder, 'package.json'), 'utf8')
  writeFileSync(join(to, 'package.json'), manifest.replaceAll('.ts"', '.js"'))
}
// The command's entry is plain JavaScript, which the compiler leaves where it is.
const launcher = readFileSync(join(ROOT, 'services/cli/launch.mjs'), 'utf8')
writeFileSync(join(out, 'services/cli/launch.mjs'), launcher.replaceAll(".ts'", ".js'"), { mode: 0o755 })
cpSync(join(ROOT, 'LICENSE'), join(out, 'LICENSE'))
