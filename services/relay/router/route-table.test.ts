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

describe('a table that is changed', () => {
  it('leaves the one that it was made from as it is', () => {
    const [a, b] = [route('a', '/a'), route('b', '/b')]
    const before = buildRouteTable([a, b])
    const after = before.changed([a], [route('c', '/c')])
    expect([...before].map(({ path }) => path)).toEqual(['/a', '/b'])
    expect([...after].map(({ path }) => path)).toEqual(['/b', '/c'])
    expect([after.find('/a'), after.find('/b'), after.size]).toEqual([undefined, b, 2])
  })

  it('gives a path to whom it is given to, once it is free', () => {
    const a = route('a', '/a')
    const table = buildRouteTable([a])
    expect(() => table.changed([], [route('b', '/a')])).toThrow('path /a belongs to default/a')
    expect(table.changed([a], [route('b', '/a')]).find('/a')?.name).toBe('default/b')
  })

  it('is as one that was built at once, after however many changes', () => {
    let table = buildRouteTable([])
    const present = new Map<string, Route>()
    for (let n = 0; n < 500; n++) {
      const path = `/${(n * 7) % 31}`
      const known = present.get(path)
      const come = n % 3 === 0 ? [] : [route(`r${n}`, path)]
      table = table.changed(known === undefined ? [] : [known], come)
      present.delete(path)
      for (const one of come) present.set(path, one)
    }
    expect(new Set(table)).toEqual(new Set(present.values()))
    for (let n = 0; n < 31; n++) expect(table.find(`/${n}`)).toBe(present.get(`/${n}`))
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
