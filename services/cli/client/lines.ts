/** What a change does to a file, line by line: what goes and what comes, and where. */
export function changedLines(path: string, before: string | undefined, after: string | undefined): string {
  const old = linesOf(before)
  const fresh = linesOf(after)
  let same = 0
  while (same < old.length && same < fresh.length && old[same] === fresh[same]) same++
  let sameAtEnd = 0
  while (
    sameAtEnd < old.length - same &&
    sameAtEnd < fresh.length - same &&
    old.at(-1 - sameAtEnd) === fresh.at(-1 - sameAtEnd)
  )
    sameAtEnd++
  const note = before === undefined ? ' (new)' : after === undefined ? ' (removed)' : `, line ${same + 1}`
  return [
    `${path}${note}`,
    ...old.slice(same, old.length - sameAtEnd).map((line) => `- ${line}`),
    ...fresh.slice(same, fresh.length - sameAtEnd).map((line) => `+ ${line}`),
    '',
  ].join('\n')
}

function linesOf(text: string | undefined): string[] {
  const lines = text?.split(/\r?\n/) ?? []
  if (lines.at(-1) === '') lines.pop()
  return lines
}
