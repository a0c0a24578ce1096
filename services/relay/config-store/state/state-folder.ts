/** The folder on the volume that a store keeps its file in. What is said to be done is on the disk. */
export interface StateFolder {
  /** For people. */
  readonly path: string
  /** Undefined: there is no such file. Rejects for one that is larger than `maxOctets`. */
  read(name: string, maxOctets: number): Promise<Buffer | undefined>
  /**
   * Writes a file of these pieces, whole or not at all, in the place of one of the same name. Rejects with
   * UnsureReplaceError when the new one stands there, but may not after a crash; else the old one stands.
   */
  replace(name: string, pieces: Iterable<Uint8Array>): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Opens a file that is there, to be written to. */
  open(name: string): Promise<StateFile>
}

/** A file was put into its place, and whether that lasts is not known. */
export class UnsureReplaceError extends Error {
  constructor(options: ErrorOptions) {
    super('the folder could not be written to the disk', options)
    this.name = 'UnsureReplaceError'
  }
}

export interface StateFile {
  /** Writes all of it at that offset, and waits until it is on the disk. */
  write(octets: Uint8Array, offset: number): Promise<void>
  truncate(length: number): Promise<void>
  close(): Promise<void>
}
