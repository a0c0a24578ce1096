import { open, rename, unlink } from 'node:fs/promises'

/** Readable and writable by the owner only, from the moment that it exists. */
const OWNER_ONLY = 0o600

/** Fails with EEXIST when there is anything at `path`, a dangling link too. */
export async function writeNewFile(path: string, octets: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', OWNER_ONLY)
  try {
    await file.writeFile(octets)
    await file.sync()
  } catch (error) {
    // Half a key is worse than none, and would be in the way of the next try.
    await unlink(path)
    throw error
  } finally {
    await file.close()
  }
}

/** Whoever looks sees the old file or the new one, whole. */
export async function replaceFile(path: string, octets: Uint8Array): Promise<void> {
  const beside = `${path}.${process.pid}.new`
  await writeNewFile(beside, octets)
  try {
    await rename(beside, path)
  } catch (error) {
    await unlink(beside)
    throw error
  }
}
