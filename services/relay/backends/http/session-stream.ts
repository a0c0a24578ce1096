/** What a session hears of the backend outside the answers to its requests. */
export interface SessionStream {
  /** After a 'wait' of a receiver's. */
  resume(): void
  /** Nothing more is told. */
  close(): void
}
