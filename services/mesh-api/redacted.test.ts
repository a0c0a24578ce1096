import { expect, it } from 'vitest'
import { aBackend, aRelay, load } from './fixtures/written.ts'
import { redacted } from './redacted.ts'

it('a printed backend shows no header, argument or environment variable of its server', () => {
  const [http, process] = load(
    aRelay(),
    aBackend('a', {
      mcp: {
        url: 'https://tools.example.com/mcp',
        headers: [
          { name: 'authorization', value: 'hunter2' },
          { name: 'x-key', valueFile: 'key.txt' },
        ],
      },
    }),
    aBackend('b', {
      mcp: { stdio: { command: 'npx', args: ['--key', 'hunter2'], env: [{ name: 'KEY', value: 'hunter2' }] } },
    }),
  ).backends
  if (http === undefined || process === undefined) throw new Error('two backends were loaded')

  expect(redacted(http).spec.mcp.headers).toEqual([
    { name: 'authorization', value: '[redacted]' },
    { name: 'x-key', valueFile: 'key.txt' },
  ])
  expect(redacted(process).spec.mcp.stdio).toEqual({
    command: 'npx',
    args: ['[redacted]', '[redacted]'],
    env: [{ name: 'KEY', value: '[redacted]' }],
    inheritEnv: [],
  })
})

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
