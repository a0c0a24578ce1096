import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type TarEntry, tarOctets } from './tar.ts'

/** One layer of an image, written to a file. */
export interface Layer {
  readonly file: string
  /** SHA-256, hex, of what stands in the file (compressed). */
  readonly digest: string
  /** SHA-256, hex, of the archive before compression. */
  readonly diffId: string
  readonly sizeOctets: number
  /** For `docker history` and its like. */
  readonly createdBy: string
}

/** Packs the entries, sorted by path, with every folder above them. */
export async function writeLayer(
  file: string,
  createdBy: string,
  entries: readonly TarEntry[],
  modifiedSeconds: number,
): Promise<Layer> {
  const archive = hashing()
  const compressed = hashing()
  await pipeline(
    Readable.from(tarOctets(inOrder(entries), modifiedSeconds)),
    archive.stream,
    createGzip({ level: 6 }),
    compressed.stream,
    createWriteStream(file),
  )
  const { digest, octets } = compressed.result()
  return { file, digest, diffId: archive.result().digest, sizeOctets: octets, createdBy }
}

function inOrder(entries: readonly TarEntry[]): TarEntry[] {
  const byPath = new Map<string, TarEntry>()
  for (const entry of entries) {
    for (let at = entry.path.indexOf('/'); at > 0; at = entry.path.indexOf('/', at + 1)) {
      const path = entry.path.slice(0, at)
      if (!byPath.has(path)) byPath.set(path, { type: 'folder', path, mode: 0o755 })
    }
    byPath.set(entry.path, entry)
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function hashing() {
  const hash = createHash('sha256')
  let octets = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      hash.update(chunk)
      octets += chunk.length
      callback(null, chunk)
    },
  })
  return { stream, result: () => ({ digest: hash.digest('hex'), octets }) }
}
