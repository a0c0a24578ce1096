import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { requirement } from './requirement.ts'

/** Text under a heading of second level. */
function section(document: string, heading: string): string {
  const text = readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8')
  return text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

it(`${requirement('HS-053')} the security page states what erasing secrets cannot do, and claims best effort only`, () => {
  const limits = section('security.md', 'Limits of the runtime')
  for (const limit of [/copied/, /can only be dropped/, /core dump/, /best\s+effort, no more/])
    expect(limits).toMatch(limit)
})
