import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const DATA = '..data'

/**
 * Replaces all files of `folder` at once, the way kubelet does: the files stand in a folder of their own, the symbolic
 * link `..data` names it and is swapped by a rename, and what a reader opens are links through `..data`.
 */
export async function replaceFiles(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const before = await readlink(join(folder, DATA)).catch(() => undefined)
  const now = `..${randomBytes(8).toString('hex')}`
  await mkdir(join(folder, now))
  for (const [name, content] of files) await writeFile(join(folder, now, name), content, { mode: 0o640 })
  await symlink(now, join(folder, '..data_tmp'))
  await rename(join(folder, '..data_tmp'), join(folder, DATA))
  await matchLinks(folder, files)
  if (before !== undefined) await rm(join(folder, before), { recursive: true, force: true })
}

async function matchLinks(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const there = new Set((await readdir(folder)).filter((name) => !name.startsWith('..')))
  for (const name of files.keys()) if (!there.has(name)) await symlink(join(DATA, name), join(folder, name))
  for (const name of there) if (!files.has(name)) await rm(join(folder, name))
}
