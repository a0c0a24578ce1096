import { expect, it } from 'vitest'
import { aBackend, aRelay, load } from './fixtures/written.ts'
import { redacted } from './redacted.ts'

it('a printed backend does not show the query of its URL, where people put keys', () => {
  const [keyed, plain] = load(
    aRelay(),
    aBackend('a', { mcp: { url: 'https://tools.example.com/mcp?api_key=hunter2&x=1' } }),
    aBackend('b', { mcp: { url: 'https://tools.example.com/mcp' } }),
  ).backends
  if (keyed === undefined || plain === undefined) throw new Error('two backends were loaded')

  expect(redacted(keyed).spec.mcp.url).toBe('https://tools.example.com/mcp?[redacted]')
  expect(keyed.spec.mcp.url, 'the original is left alone').toContain('hunter2')
  expect(redacted(plain)).toEqual(plain)
})
