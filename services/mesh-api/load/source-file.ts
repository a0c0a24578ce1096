/** One configuration file: what errors call it, and its octets. */
export interface SourceFile {
  readonly name: string
  readonly octets: Uint8Array
  /** Where relative paths in it start from; as they are where it is not known. */
  readonly folder?: string
}
