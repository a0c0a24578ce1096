/** What the command ends with. */
export const EXIT = {
  ok: 0,
  /** The input was right, this machine was not: a port in use, a file that cannot be written. */
  failed: 1,
  /** Wrong arguments, configuration or key files. */
  badInput: 2,
  /** A second signal while draining: 128 + SIGINT. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
