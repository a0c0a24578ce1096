/** `npm run build`: compiles the packages to `dist`, a tree that runs without type stripping (for images). */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, runStep } from './step.ts'

const compiled = await runStep({ name: 'compile', command: ['tsc', '-b', 'tsconfig.build.json'] })
if (!compiled.ok) process.exit(1)

const packages = ['operator', ...readdirSync(join(ROOT, 'services')).map((name) => `services/${name}`)]
for (const folder of packages) {
  const from = join(ROOT, folder)
  const to = join(ROOT, 'dist', folder)
  mkdirSync(to, { recursive: true })
  const manifest = readFileSync(join(from, 'package.json'), 'utf8')
  writeFileSync(join(to, 'package.json'), manifest.replaceAll('.ts"', '.js"'))
}
// The command's entry is plain JavaScript, which the compiler leaves where it is.
const launcher = readFileSync(join(ROOT, 'services/cli/launch.mjs'), 'utf8')
writeFileSync(join(ROOT, 'dist/services/cli/launch.mjs'), launcher.replaceAll(".ts'", ".js'"), { mode: 0o755 })
cpSync(join(ROOT, 'LICENSE'), join(ROOT, 'dist/LICENSE'))
