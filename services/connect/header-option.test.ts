import { expect, it } from 'vitest'
import { OptionError, readHeaders } from './header-option.mjs'

it('reads headers, with variables of the environment in their values', () => {
  const env = { TOKEN: 'secret\n', EMPTY: '' }
  expect(
    readHeaders([`Authorization: Bearer \${TOKEN}`, 'X-Team:  a:b ', 'x-team: c', `x-empty: \${EMPTY}`], env),
  ).toEqual({
    authorization: 'Bearer secret',
    'x-team': 'a:b, c',
    'x-empty': '',
  })
  expect(readHeaders(['x-price: $5 ${'], {})).toEqual({ 'x-price': '$5 ${' })
})

it.each([
  [`Authorization: Bearer \${MISSING}`, 'the environment has no MISSING'],
  ['no colon', 'the form "Name: value"'],
  [': value', 'the form "Name: value"'],
  ['na me: value', 'the form "Name: value"'],
  ['Mcp-Session-Id: 1', 'belongs to the protocol'],
  ['Content-Length: 1', 'belongs to the protocol'],
  ['Host: a', 'belongs to the protocol'],
  ['x-a: secret\u0001', 'no header can carry'],
])('%s is refused, and its value is not shown', (option, why) => {
  const refused = () => readHeaders([option], {})
  expect(refused).toThrow(OptionError)
  expect(refused).toThrow(why)
  expect(refused).not.toThrow('secret')
})
