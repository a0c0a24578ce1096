/** Part of `npm run generate`: writes the messages of `proto/`; with `--baseline` also what `buf breaking` compares with. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BASELINE_FILE, buf, GENERATED_FOLDER, generatedCode } from './generated-code.ts'

const files = await generatedCode()
await rm(GENERATED_FOLDER, { recursive: true, force: true })
for (const [path, text] of files) {
  await mkdir(dirname(join(GENERATED_FOLDER, path)), { recursive: true })
  await writeFile(join(GENERATED_FOLDER, path), text)
}
if (process.argv.includes('--baseline')) await buf('build', '-o', BASELINE_FILE)
