import type { IncomingMessage } from 'node:http'

/** The host that a request is for; `several` when it names more than one, which RFC 9112 section 3.2 forbids. */
export function hostOf(request: IncomingMessage): string | undefined | { readonly several: true } {
  const { headers, rawHeaders, url = '' } = request
  if (headers.host !== undefined && hasSeveral(rawHeaders)) return SEVERAL
  // Section 3.2.2: the absolute form says it itself, and then the header says nothing.
  return url.startsWith('/') ? headers.host : (/^https?:\/\/([^/?]*)/i.exec(url)?.[1] ?? headers.host)
}

const SEVERAL = { several: true } as const

/** Node keeps the first and hides the others; who stands before us may have gone by another. */
function hasSeveral(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}
