import { describe, expect, it } from 'vitest'
import { ScriptedTarget } from '../../../test/fixtures/edge/scripted-target.ts'
import type { Route } from './route.ts'
import { buildRouteTable, pathOf, RouteError } from './route-table.ts'

const target = new ScriptedTarget()

function route(name: string, path: string): Route {
  return { name: `default/${name}`, path, target, limits: {} }
}

describe('a route table', () => {
  it('finds a route by its whole path and by nothing else', () => {
    const table = buildRouteTable([route('a', '/a'), route('root', '/')])
    expect(table.find('/a')?.name).toBe('default/a')
    expect(table.find('/')?.name).toBe('default/root')
    for (const path of ['/a/', '/A', '/a/b', '/b', '', '//a', '/%61']) expect(table.find(path)).toBeUndefined()
    expect(table.size).toBe(2)
    expect([...table].map(({ name }) => name)).toEqual(['default/a', 'default/root'])
  })

  it('refuses a second route with the same path and names both', () => {
    expect(() => buildRouteTable([route('a', '/x'), route('b', '/x')])).toThrow(
      new RouteError('default/b', 'PATH_TAKEN', 'route default/b: path /x belongs to default/a'),
    )
  })

  it.each(['', 'x', '/a?b', '/a#b', '/a b', '/ä', '/a\n'])('refuses the path %j', (path) => {
    expect(() => buildRouteTable([route('a', path)])).toThrow(RouteError)
  })
})

describe('headers that a route forwards', () => {
  it.each(['x-tenant', 'traceparent', 'accept-language', "it's!"])('may be %s', (name) => {
    expect(buildRouteTable([{ ...route('a', '/a'), forwardHeaders: [name] }]).size).toBe(1)
  })

  it.each([
    'authorization',
    'cookie',
    'host',
    'mcp-session-id',
    'content-type',
    'content-length',
    'transfer-encoding',
    'connection',
    'proxy-authorization',
    'proxy-anything',
    'X-Upper',
    'two words',
    '',
  ])('are never %j', (name) => {
    const build = () => buildRouteTable([{ ...route('a', '/a'), forwardHeaders: ['x-tenant', name] }])
    expect(build).toThrow(expect.objectContaining({ code: 'BAD_HEADER', route: 'default/a' }))
  })
})

describe('the path of a request target', () => {
  it.each([
    ['/mcp', '/mcp'],
    ['/mcp?x=1', '/mcp'],
    ['/mcp?', '/mcp'],
    ['/?a?b', '/'],
    ['*', '*'],
    ['http://localhost:1/mcp?x', '/mcp'],
    ['HTTPS://localhost', ''],
    ['//mcp', '//mcp'],
  ])('%j is %j', (requestTarget, path) => {
    expect(pathOf(requestTarget)).toBe(path)
  })
})
