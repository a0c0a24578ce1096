/** What the bridge and a legacy server agreed on in one `initialize`. */
export class LegacySession {
  /** The revision, once the server has named it. @type {string | undefined} */
  version
  /** Ends the stream on which the server speaks unasked. */
  listening = new AbortController()

  /** @param {string | undefined} id undefined where the server keeps no sessions */
  constructor(id) {
    this.id = id
  }
}
