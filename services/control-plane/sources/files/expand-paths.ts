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
      const names = await readdir(path).catch(() => undefined)
      if (names === undefined) return [path]
      return names
        .filter((name) => CONFIGURATION_FILE.test(name))
        .sort()
        .map((name) => join(path, name))
    }),
  )
  return [...new Set(expanded.flat())]
}
