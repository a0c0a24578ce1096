/** `npm run generate`: writes the CRDs and the reference pages of every kind; a test compares them with the kinds. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GENERATED_FOLDERS, generatedFiles } from './generated-files.ts'

const root = join(import.meta.dirname, '../../..')
const files = generatedFiles()
for (const folder of GENERATED_FOLDERS) {
  mkdirSync(join(root, folder), { recursive: true })
  for (const name of readdirSync(join(root, folder))) {
    if (!files.has(`${folder}/${name}`)) rmSync(join(root, folder, name))
  }
}
for (const [path, text] of files) writeFileSync(join(root, path), text)
