/** A file that a relay reads itself. */
export type FileIr =
  /** Absolute. */
  | { readonly path: string }
  /** Under the relay's folder of mounts; `sha256`, hexadecimal: what it must hold before it is used. */
  | { readonly mounted: string; readonly sha256?: string }

/** A text that nobody prints. */
export type SecretIr =
  | { readonly literal: string }
  | { readonly file: FileIr }
  /** Of the relay's own process. */
  | { readonly environmentVariable: string }

export interface KeyPairIr {
  readonly certificate: FileIr
  readonly key: FileIr
}
