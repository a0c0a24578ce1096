import { clientNameOf } from '../../client/name.ts'
import type { McpServer, McpServers } from './servers.ts'

/** What is served where, for a person or a program. */
export interface Served {
  readonly servers: readonly (Pick<McpServer, 'name' | 'segment' | 'kind'> & { readonly url: string })[]
  readonly disabled: readonly string[]
}

/** `base` is a URL without a path. */
export function servedBy({ servers, disabled }: McpServers, base: string): Served {
  return {
    servers: servers.map(({ name, segment, kind }) => ({ name, segment, url: `${base}/${segment}/mcp`, kind })),
    disabled,
  }
}

/** A line for each, then how to use it. */
export function describeServed({ servers, disabled }: Served): string {
  const rows = [
    ...servers.map(({ name, url, kind }) => [shown(name), url, kind]),
    ...disabled.map((name) => [shown(name), 'disabled', '']),
  ]
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const [first] = servers
  if (first !== undefined) {
    const add = `npx causeway client add --client claude-code ${clientNameOf(first.segment)} ${first.url}`
    lines.push('', 'put one into a client:', `  ${add}`)
  }
  return `${lines.join('\n')}\n`
}

/** Names are the file's; a terminal shows them without obeying them. */
function shown(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}
