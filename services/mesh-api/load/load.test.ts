import { describe, expect, it } from 'vitest'
import { aBackend, aRelay, aRoute, fileOf } from '../fixtures/written.ts'
import { FILE_LIMITS } from './limits.ts'
import { loadResources } from './load.ts'
import { ConfigurationError, formatProblem, type Problem } from './problem.ts'

const octetsOf = (text: string) => new TextEncoder().encode(text)
const fileWith = (text: string, name = 'mesh.yaml') => ({ name, octets: octetsOf(text) })

function problems(...texts: readonly (string | Uint8Array)[]): readonly Problem[] {
  const files = texts.map((text, index) => ({
    name: `${index}.yaml`,
    octets: typeof text === 'string' ? octetsOf(text) : text,
  }))
  try {
    loadResources(files)
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.problems
  }
}

const messages = (...texts: readonly (string | Uint8Array)[]) =>
  problems(...texts).map(({ file, line, message }) => `${file}:${line}: ${message}`)

describe('a set of files', () => {
  it('is one configuration, ordered by namespace and name whatever the order of the files', () => {
    const first = fileOf(aRoute('b'), aRoute('a'))
    const second = fileOf(aBackend(), aRelay())
    const loaded = loadResources([first, second])
    expect(loaded).toEqual(loadResources([second, first]))
    expect(loaded.routes.map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
  })

  it('an object may stand in one file only once', () => {
    const relay = JSON.stringify(aRelay())
    expect(messages(relay, `# again\n${relay}`)).toEqual(['1.yaml:2: is declared twice; first at 0.yaml:1:82'])
  })

  it.each([
    ['does not parse', 'kind: [', 1],
    ['is of no known kind', 'apiVersion: mesh.causeway.dev/v1alpha1\nkind: MeshBackends', 2],
    ['is no UTF-8', Uint8Array.of(0xff), 0],
  ])('nobody is blamed for naming what may stand in a document that %s', (_, unknown, line) => {
    const rest = [aRelay(), aRoute()].map((one) => JSON.stringify(one)).join('\n---\n')
    expect(messages(rest)).toEqual([expect.stringContaining('not found or not permitted')])
    expect(messages(unknown, rest)).toEqual([expect.stringMatching(new RegExp(`^0.yaml:${line}: `))])
  })

  it('relative paths start from the folder of their file', () => {
    const relay = aRelay('edge', { identity: { keyFile: 'keys/edge.pem' } })
    const far = aRelay('far', { identity: { keyFile: '/run/secrets/far.pem' } })
    const keyFiles = (folder?: string) =>
      loadResources([{ ...fileOf(relay, far), ...(folder === undefined ? {} : { folder }) }]).relays.map(
        ({ spec }) => spec.identity.keyFile,
      )
    expect(keyFiles('/etc/causeway')).toEqual(['/etc/causeway/keys/edge.pem', '/run/secrets/far.pem'])
    expect(keyFiles()).toEqual(['keys/edge.pem', '/run/secrets/far.pem'])
  })

  it('a program with a separator is a path, and one without is looked up', () => {
    const commands = ['npx', './server', 'bin/server', '/usr/bin/server']
    const backends = commands.map((command, index) =>
      aBackend(`b${index}`, { mcp: { stdio: { command, cwd: 'work' } } }),
    )
    const loaded = loadResources([{ ...fileOf(aRelay(), ...backends), folder: '/etc/causeway' }]).backends
    expect(loaded.map(({ spec }) => spec.mcp.stdio?.command)).toEqual([
      'npx',
      '/etc/causeway/server',
      '/etc/causeway/bin/server',
      '/usr/bin/server',
    ])
    expect(loaded[0]?.spec.mcp.stdio?.cwd).toBe('/etc/causeway/work')
  })

  it('a program without a folder of its own starts in that of its file, where there is one', () => {
    const file = fileOf(aRelay(), aBackend('b', { mcp: { stdio: { command: 'node', args: ['server.js'] } } }))
    const cwd = (folder?: string) =>
      loadResources([{ ...file, ...(folder === undefined ? {} : { folder }) }]).backends[0]?.spec.mcp.stdio?.cwd
    expect(cwd('/etc/causeway')).toBe('/etc/causeway')
    expect(cwd()).toBeUndefined()
  })

  it('a field that is null is not set, but its name must be known', () => {
    const text = `
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: {name: edge, labels: }
spec:
  identity: {keyFile: edge.pem}
  limits:
  limit:
`
    expect(messages(text)).toEqual(['0.yaml:8: unknown field "limit"; did you mean limits?'])
    expect(loadResources([fileWith(text.replace('  limit:\n', ''))]).relays[0]?.spec.limits.drain).toBe('10s')
  })

  it('nothing, comments and a byte order mark are no documents', () => {
    expect(messages('', '# nothing\n', '---\n---\n...\n', '\ufeff# nothing\n')).toEqual([])
  })
})

describe('limits, before anything of that size is built', () => {
  it('octets', () => {
    expect(messages(new Uint8Array(FILE_LIMITS.octets + 1))).toEqual(['0.yaml:0: is larger than 4194304 octets'])
    expect(messages(`#${' '.repeat(FILE_LIMITS.octets - 1)}`)).toEqual([])
  })

  it('documents', () => {
    const relays = (count: number) =>
      Array.from({ length: count }, (_, index) => JSON.stringify(aRelay(`r${index}`))).join('\n---\n')
    expect(messages(relays(10_000))).toEqual([])
    expect(messages(relays(10_001))).toEqual(['0.yaml:20001: there are more than 10000 documents in this file'])
  }, 120_000)

  it('nesting, in every form of YAML', () => {
    const deep = 'maps and lists are nested more than 32 deep'
    for (const text of [
      '['.repeat(2_000_000),
      '{a: '.repeat(1_000_000),
      '- '.repeat(2_000_000),
      '? '.repeat(2_000_000),
      Array.from({ length: 2_800 }, (_, indent) => `${' '.repeat(indent)}a:\n`).join(''),
    ]) {
      expect(problems(text).map(({ message }) => message)).toEqual(expect.arrayContaining([deep]))
    }
    const indented = Array.from({ length: 40 }, (_, indent) => `${' '.repeat(indent)}a:\n`).join('')
    expect(messages(indented)).toEqual(['0.yaml:33: is nested more than 32 deep'])
  })

  it('values and tokens of one document', () => {
    expect(messages(`[${'1,'.repeat(20_001)}]`)).toEqual(['0.yaml:1: there are more than 20000 values'])
    expect(messages('- 1\n'.repeat(1_000_000))).toEqual([
      expect.stringContaining('a document has more than 200000 YAML tokens'),
    ])
    const spread = `${'# a comment\n'.repeat(60_000)}---\n`.repeat(4)
    expect(messages(spread), 'the count starts anew with every document').toEqual([])
  })

  it('aliases are not followed', () => {
    const laughs = ['a: &a x', ...Array.from({ length: 9 }, (_, index) => `b${index}: [*a, *a, *a]`)].join('\n')
    expect(problems(laughs)).toHaveLength(27)
    expect(problems(laughs).every(({ message }) => message === 'aliases are not supported')).toBe(true)
  })

  it('problems: the rest is counted', () => {
    const found = problems('---\nx\n'.repeat(1_500))
    expect(found).toHaveLength(1_001)
    expect(found.at(-1)?.message).toBe('and 500 more problems')
  })

  it('text that is not UTF-8', () => {
    expect(messages(Uint8Array.of(0x61, 0x3a, 0xff))).toEqual(['0.yaml:0: is not valid UTF-8'])
  })
})

it('objects for a cluster are judged as there', () => {
  const relay = aRelay('edge', { identity: {} })
  expect(loadResources([fileOf(relay)], { place: 'cluster' }).relays).toHaveLength(1)
  expect(() => loadResources([fileOf(relay)])).toThrow('spec.identity.keyFile: is required')
  expect(() => loadResources([fileOf(aRelay())], { place: 'cluster' })).toThrow(
    'spec.identity.keyFile: is only for files',
  )
})

describe('what kubectl prints', () => {
  const printed = (...objects: readonly object[]) => ({
    apiVersion: 'v1',
    kind: 'List',
    metadata: { resourceVersion: '' },
    items: objects.map((object) => ({
      ...object,
      metadata: {
        ...(object as { metadata: object }).metadata,
        creationTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['mesh.causeway.dev/in-use'],
        generation: 3,
        managedFields: [],
        resourceVersion: '17',
        uid: '513b0170-6278-4ad4-af97-951282e2746b',
      },
      status: { conditions: [] },
    })),
  })

  it('is read as the objects that were applied', () => {
    expect(loadResources([fileOf(printed(aRelay(), aBackend()))])).toEqual(
      loadResources([fileOf(aRelay(), aBackend())]),
    )
  })

  it('has its faults where they stand in the list', () => {
    const text =
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: mesh.causeway.dev/v1alpha1\n  kind: MeshRelay\n' +
      '  metadata: { name: edge }\n  spec:\n    listeners:\n      mcp: { port: 80800 }\n- kind: Pod\n  apiVersion: v1\n'
    expect(problems(text).map(formatProblem)).toEqual([
      '0.yaml:9:20: MeshRelay/default/edge: spec.listeners.mcp.port: must be at most 65535',
      expect.stringMatching(/^0\.yaml:10:9: kind: unknown kind "Pod"/),
      expect.stringMatching(/^0\.yaml:11:15: apiVersion: is not known/),
    ])
  })

  it('does not hide a slip in metadata', () => {
    const relay = { ...aRelay(), metadata: { name: 'edge', nmae: 'x' } }
    expect(() => loadResources([fileOf(relay)])).toThrow('metadata.nmae: unknown field "nmae"; did you mean name?')
  })
})

it('says that an mcpServers file is one', () => {
  const text = '{ "mcpServers": { "files": { "command": "npx" } } }'
  expect(() => loadResources([fileWith(text)])).toThrow('mesh.yaml:1:1: is the mcpServers file of an MCP client')
})

describe('an example of what is missing or of the wrong type', () => {
  it.each([
    ['a form', { ...aRoute(), spec: { relayRefs: [{ name: 'edge' }] } }, 'spec.path: is required, such as /search'],
    ['none where it would be long', { ...aRoute(), spec: undefined }, /spec: is required$/],
    ['a port', aRelay('edge', { listeners: { mcp: {} } }), 'spec.listeners.mcp.port: is required, such as 8080'],
    [
      'a number in quotes',
      aRelay('edge', { listeners: { mcp: { port: '8081' } } }),
      'must be a whole number: write 8081, without quotes',
    ],
    [
      'an entry of a list',
      { ...aRoute(), spec: { relayRefs: ['edge'], path: '/x' } },
      'spec.relayRefs[0]: must be a map, such as { name: search }',
    ],
    [
      'a reference',
      {
        ...aRoute(),
        spec: { relayRefs: [{ name: 'edge' }], path: '/x', transparent: { target: { backendRef: 'x' } } },
      },
      'backendRef: must be a map, such as backendRef: { name: search }',
    ],
    ['what should stand deeper', { ...aRoute(), path: '/x' }, 'path: unknown field "path" here; it belongs under spec'],
  ])('%s', (_, object, message) => {
    expect(() => loadResources([fileOf(object)])).toThrow(message)
  })
})
