import { describe, expect, it } from 'vitest'
import { parseAddress } from './address.ts'

describe('addresses', () => {
  it.each([
    ['npamp://tools.example.com:7000', 'tools.example.com', 7000],
    ['npamp://192.0.2.1:1', '192.0.2.1', 1],
    ['npamp://[2001:db8::1]:65535', '2001:db8::1', 65_535],
  ])('%s', (address, host, port) => expect(parseAddress(address)).toEqual({ host, port }))

  it.each([
    'npamp://tools',
    'npamp://tools:0',
    'npamp://tools:65536',
    'https://tools:1',
    'npamp://a@b:1',
    'npamp://b:1/',
  ])('%s is none', (address) => expect(() => parseAddress(address)).toThrow('npamp://host:port'))
})
