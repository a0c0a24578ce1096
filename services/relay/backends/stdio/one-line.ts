/**
 * A message as one line, without its LF: CR and LF become blanks. In a JSON text they stand outside strings only, where
 * they mean the same (CARRIAGE section 3). What has none is not copied.
 */
export function oneLine(octets: Uint8Array): { readonly line: Uint8Array; readonly changed: number } {
  if (octets.indexOf(LF) === -1 && octets.indexOf(CR) === -1) return { line: octets, changed: 0 }
  const line = Uint8Array.from(octets)
  let changed = 0
  for (let at = 0; at < line.length; at++) {
    if (line[at] !== LF && line[at] !== CR) continue
    line[at] = BLANK
    changed += 1
  }
  return { line, changed }
}

const LF = 0x0a
const CR = 0x0d
const BLANK = 0x20
