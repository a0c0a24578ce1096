import { describe, expect, it } from 'vitest'
import { environmentOf } from './environment.ts'

describe('the environment of a server', () => {
  it('on Windows knows names in any case, and each once', () => {
    const relayEnv = { Path: 'C:\\x', SystemRoot: 'C:\\Windows', Secret: 's', Wanted: 'w', HOME: '/h' }
    const env = new Map([['PATH', 'C:\\y']])
    expect(environmentOf({ relayEnv, env, inheritEnv: ['WANTED'] }, 'win32')).toEqual({
      PATH: 'C:\\y',
      SystemRoot: 'C:\\Windows',
      Wanted: 'w',
    })
  })

  it('elsewhere tells names by their case', () => {
    const relayEnv = { Path: 'x', PATH: 'y', lc_all: 'z', LC_TIME: 'C', wanted: 'no' }
    expect(environmentOf({ relayEnv, env: new Map(), inheritEnv: ['WANTED'] }, 'linux')).toEqual({
      PATH: 'y',
      LC_TIME: 'C',
    })
  })
})
