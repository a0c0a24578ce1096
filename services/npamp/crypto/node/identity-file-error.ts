/** Why an identity file could not be used. The message names the file and, where one was passed, the limit. */
export class IdentityFileError extends Error {
  readonly code: IdentityFileCode
  readonly path: string

  constructor(code: IdentityFileCode, path: string, what: string) {
    super(`${path} ${what}`)
    this.name = 'IdentityFileError'
    this.code = code
    this.path = path
  }

  /** From an error of the file system. */
  static ofSystem(path: string, error: unknown, verb: 'read' | 'written'): IdentityFileError {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    if (code === 'ENOENT') {
      return new IdentityFileError(
        'NOT_FOUND',
        path,
        verb === 'read' ? 'does not exist' : 'is in a folder that does not exist',
      )
    }
    if (code === 'EEXIST') return new IdentityFileError('EXISTS', path, 'exists already')
    return new IdentityFileError(verb === 'read' ? 'NOT_READABLE' : 'NOT_WRITABLE', path, `cannot be ${verb} (${code})`)
  }
}

export type IdentityFileCode =
  | 'NOT_FOUND'
  | 'NOT_READABLE'
  | 'NOT_A_FILE'
  | 'TOO_LARGE'
  | 'NOT_PEM'
  | 'NOT_PRIVATE_KEY'
  | 'ENCRYPTED'
  | 'DAMAGED'
  | 'WRONG_ALGORITHM'
  | 'EXISTS'
  | 'NOT_WRITABLE'
