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
