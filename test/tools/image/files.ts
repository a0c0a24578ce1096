import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { TarEntry } from './tar.ts'

/** Nobody but a build reads these. */
const FOR_DEVELOPERS = /\.(d\.[cm]?ts|map|tsbuildinfo)$/

/**
 * All files below a folder as entries below `path`, without what only a developer's tools read. Modes are 0755 where the
 * file may be executed and 0644 elsewhere, whatever the umask of whoever checked it out.
 * @param skip of paths relative to the folder: what is left out, with all below it
 */
export function filesBelow(
  folder: string,
  path: string,
  skip: (relative: string) => boolean = () => false,
): TarEntry[] {
  const entries: TarEntry[] = []
  const visit = (relative: string) => {
    for (const name of readdirSync(join(folder, relative)).sort()) {
      const below = relative === '' ? name : `${relative}/${name}`
      if (skip(below) || FOR_DEVELOPERS.test(name)) continue
      const from = join(folder, below)
      const kind = lstatSync(from)
      if (kind.isDirectory()) visit(below)
      else if (kind.isSymbolicLink()) entries.push(linkTo(`${path}/${below}`, readlinkSync(from)))
      else if (kind.isFile()) entries.push(fileFrom(`${path}/${below}`, from))
    }
  }
  visit('')
  return entries
}

export function fileFrom(path: string, from: string): TarEntry {
  const executable = (statSync(from).mode & 0o111) !== 0
  return { type: 'file', path, mode: executable ? 0o755 : 0o644, content: readFileSync(from) }
}

export function fileOf(path: string, text: string, mode = 0o644): TarEntry {
  return { type: 'file', path, mode, content: Buffer.from(text) }
}

export function linkTo(path: string, target: string): TarEntry {
  return { type: 'link', path, target, mode: 0o777 }
}
