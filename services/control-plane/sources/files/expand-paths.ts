import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const CONFIGURATION_FILE = /^[^.].*\.(ya?ml|json)$/

/**
 * The files that paths of files and folders stand for: of a folder the `.yaml`, `.yml` and `.json` files directly in it, by
 * name, without hidden ones. What is no folder, or cannot be listed, stands for itself: whoever reads it says what is wrong.
 */
export async function expandPaths(paths: readonly string[]): Promise<readonly string[]> {
  const expanded = await Promise.all(
    paths.map(async (path) => {
      const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined)
      if (entries === undefined) return [path]
      return entries
        .filter((entry) => CONFIGURATION_FILE.test(entry.name) && !isPipe(entry))
        .map(({ name }) => name)
        .sort()
        .map((name) => join(path, name))
    }),
  )
  return [...new Set(expanded.flat())]
}

/** Whoever opens one waits for somebody to write: what nobody named is not worth that. */
function isPipe(entry: Dirent): boolean {
  return entry.isFIFO() || entry.isSocket()
}
