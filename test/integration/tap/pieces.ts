/** As much of a text as nobody finds in other octets by chance. */
const PIECE_OCTETS = 8

/** Pieces of these texts that stand in `octets` as they are. */
export function piecesIn(octets: Buffer, texts: readonly (string | Buffer)[]): string[] {
  const pieces = new Set(texts.flatMap((text) => windowsOf(Buffer.from(text))))
  return windowsOf(octets).filter((window) => pieces.has(window))
}

function windowsOf(octets: Buffer): string[] {
  const text = octets.toString('latin1')
  return Array.from({ length: Math.max(0, text.length - PIECE_OCTETS + 1) }, (_, at) =>
    text.slice(at, at + PIECE_OCTETS),
  )
}
