import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fileFrom, fileOf } from './files.ts'
import type { TarEntry } from './tar.ts'

/** Who the processes in the image are: a number that Kubernetes can check for `runAsNonRoot`. */
export const USER_ID = 65532

/**
 * A root file system in which Node runs, and nothing else: its binary, the shared libraries that it is linked with, and the
 * few files of `/etc` that the C library reads. No shell, no package manager, no certificate authorities (Node brings its own).
 * @param node the binary, of this machine's architecture
 */
export function nodeRuntime(node: string): TarEntry[] {
  return [
    fileFrom('usr/bin/node', node),
    ...sharedLibraries(node).map((library) => fileFrom(library.slice(1), realpathSync(library))),
    fileOf(
      'etc/passwd',
      `root:x:0:0:root:/:/sbin/nologin\ncauseway:x:${USER_ID}:${USER_ID}:causeway:/:/sbin/nologin\n`,
    ),
    fileOf('etc/group', `root:x:0:\ncauseway:x:${USER_ID}:\n`),
    fileOf('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    { type: 'folder', path: 'tmp', mode: 0o1777 },
  ]
}

/** Absolute paths at which the loader looks for them, itself among them. */
function sharedLibraries(program: string): string[] {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' })
  const libraries = listed.split('\n').flatMap((line) => /(?:=> |^\s*)(\/\S+) \(0x/.exec(line)?.[1] ?? [])
  if (libraries.length === 0) throw new Error(`ldd names no shared library of ${program}:\n${listed}`)
  return libraries
}
