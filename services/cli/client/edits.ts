/** One replacement in a text; places count characters (UTF-16 units) of the text before any edit. */
export interface Edit {
  readonly at: number
  readonly removed: string
  readonly inserted: string
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const edit of inOrder(edits)) {
    result += text.slice(at, edit.at) + edit.inserted
    at = edit.at + edit.removed.length
  }
  return result + text.slice(at)
}

/** The edits that make `applyEdits(text, edits)` `text` again. */
export function inverse(edits: readonly Edit[]): Edit[] {
  let shift = 0
  return inOrder(edits).map(({ at, removed, inserted }) => {
    const undone = { at: at + shift, removed: inserted, inserted: removed }
    shift += inserted.length - removed.length
    return undone
  })
}

/** Stable: of two edits at one place the first stays first. */
function inOrder(edits: readonly Edit[]): Edit[] {
  return edits.toSorted((a, b) => a.at - b.at)
}
