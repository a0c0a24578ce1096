/**
 * The text as part of one line: conditions and events tell what relays and peers of others said, and nobody of those is to
 * begin lines of his own in what we print, or to move the cursor.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
}
