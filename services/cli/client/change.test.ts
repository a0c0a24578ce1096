import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addEntry, type Change, removeEntry, type Subject } from './change.ts'
import { CLIENTS, type Client, type Entry } from './clients.ts'

function client(name: string): Client {
  const found = CLIENTS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no client ${name}`)
  return found
}

/** A file of a client's, and what is done to it. */
class File {
  readonly client: Client
  text: string | undefined
  receipt: Change['receipt']

  constructor(of: string, text: string | undefined) {
    this.client = client(of)
    this.text = text
  }

  add(name: string, entry: Entry = { url: `http://127.0.0.1/${name}` }, force = false): this {
    return this.#take(addEntry(this.#subject, name, entry, force))
  }

  remove(name: string, force = false): this {
    return this.#take(removeEntry(this.#subject, name, force))
  }

  /** As somebody else does it. */
  edit(change: (text: string) => string): this {
    this.text = change(this.text ?? '')
    return this
  }

  get #subject(): Subject {
    return { client: this.client, path: 'FILE', text: this.text, receipt: this.receipt }
  }

  #take(change: Change | undefined): this {
    if (change !== undefined) Object.assign(this, change)
    return this
  }
}

describe('what is added to a JSON file', () => {
  it.each([
    ['no file', undefined, '{\n  "mcpServers": {\n    "a": {\n      "url": "http://127.0.0.1/a"\n    }\n  }\n}\n'],
    ['an object on one line', '{"x": 1}', '{"x": 1, "mcpServers": {"a":{"url":"http://127.0.0.1/a"}}}'],
    [
      'members with their indent and line ends',
      '{\r\n\t"x": 1\r\n}\r\n',
      '{\r\n\t"x": 1,\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"url": "http://127.0.0.1/a"\r\n\t\t}\r\n\t}\r\n}\r\n',
    ],
    [
      'an empty container',
      '{\n    "mcpServers": {},\n    "x": []\n}',
      '{\n    "mcpServers": {\n        "a": {\n            "url": "http://127.0.0.1/a"\n        }\n    },\n    "x": []\n}',
    ],
    [
      'another entry',
      '{\n  "mcpServers": {\n    "b": {}\n  }\n}\n',
      '{\n  "mcpServers": {\n    "b": {},\n    "a": {\n      "url": "http://127.0.0.1/a"\n    }\n  }\n}\n',
    ],
  ])('fits %s', (_, before, after) => expect(new File('cursor', before).add('a').text).toBe(after))

  it('keeps a comment on the line of what it explains, and the habit of a trailing comma', () => {
    const before = '{\n  // ours\n  "servers": {\n    "b": {} // the b\n  }, /* end */\n}\n'
    const after = new File('vscode', before).add('a').text
    expect(after).toBe(
      before.replace('{} // the b', '{}, // the b\n    "a": {\n      "url": "http://127.0.0.1/a"\n    }'),
    )
    expect(new File('vscode', '{\n  "x": 1,\n}').add('a').text).toMatch(/"x": 1,\n {2}"servers": \{[\s\S]*\},\n\}$/)
  })
})

describe('what is added to a TOML file', () => {
  it.each([
    [undefined, '[mcp_servers.a]\nurl = "http://127.0.0.1/a"\n'],
    ['model = "x"\r\n', 'model = "x"\r\n\r\n[mcp_servers.a]\r\nurl = "http://127.0.0.1/a"\r\n'],
    ['model = "x"', 'model = "x"\n\n[mcp_servers.a]\nurl = "http://127.0.0.1/a"\n'],
  ])('is a table of its own at the end of %j', (before, after) =>
    expect(new File('codex', before).add('a').text).toBe(after),
  )
})

const blanks = fc.constantFrom('', ' ', '\n', '\r\n', '\n\t', '\n\n  ', ' \n ')

/** A JSON object text in any layout; its members come from `members`. */
function objectText(members: fc.Arbitrary<string>, withComments: boolean): fc.Arbitrary<string> {
  const trivia = withComments
    ? fc.oneof(blanks, fc.constantFrom(' /* "x": { */ ', ' // } , "a"\n', '\n// c\r\n'))
    : blanks
  const gap = fc.tuple(trivia, trivia)
  return fc
    .tuple(
      fc.uniqueArray(members, { maxLength: 4, selector: (text) => /"[^"]*"/.exec(text)?.[0] }),
      fc.infiniteStream(gap),
      fc.boolean(),
    )
    .map(([parts, stream, trailing]) => {
      const next = () => stream.next().value as [string, string]
      const inner = parts.map((part) => next()[0] + part + next()[1]).join(',')
      const comma = withComments && trailing && parts.length > 0 ? ',' : ''
      return `{${inner}${comma}${next()[0]}}`
    })
}

const scalarMember = fc
  .tuple(
    fc.constantFrom('"x"', '"y"', '"a b"', '"__proto"', '"ü"'),
    fc.constantFrom('1', '1.50e3', '"}"', 'null', '[1, {"mcpServers": {}}]', '{ }'),
  )
  .map(([name, value]) => `${name}: ${value}`)

function jsonFile(container: string, withComments: boolean): fc.Arbitrary<string | undefined> {
  const servers = objectText(scalarMember, withComments).map((text) => `"${container}" :${text}`)
  const root = objectText(fc.oneof(scalarMember, servers), withComments)
  const whole = fc
    .tuple(fc.constantFrom('', '\uFEFF'), blanks, root, blanks)
    .map(([bom, before, text, after]) => bom + before + text + after)
  return fc.oneof({ weight: 8, arbitrary: whole }, fc.constantFrom(undefined, '', '\n'))
}

const tomlFile = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(
      fc.constantFrom(
        'model = "x"',
        '# a comment with [mcp_servers.a]',
        '',
        'text = """\n[mcp_servers.a]\nurl = 1 """',
        'list = [\n  [1, 2], # ]\n  "]",\n]',
      ),
      { maxLength: 4 },
    ),
    fc.subarray([
      '[mcp_servers.z]\ncommand = "z"',
      "[mcp_servers.z.env]\nA = '1'",
      '[[other]]\nx = 1',
      '[mcp_servers."q r"]\nurl = "u"\n\n',
    ]),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(([bom, top, tables, lineEnd, ended]) => {
    const unique = top.filter((line, index) => line.startsWith('#') || line === '' || top.indexOf(line) === index)
    const text = [...unique, ...tables].join('\n')
    return bom + (text + (ended && text !== '' ? '\n' : '')).replaceAll('\n', lineEnd)
  })

const files: readonly (readonly [string, fc.Arbitrary<string | undefined>])[] = [
  ['cursor', jsonFile('mcpServers', false)],
  ['vscode', jsonFile('servers', true)],
  ['codex', fc.oneof(tomlFile, fc.constant(undefined))],
]

describe.each(files)('adding to any file of %s and removing again', (name, file) => {
  it('gives the same octets', () => {
    fc.assert(
      fc.property(file, (before) => {
        expect(new File(name, before).add('a').remove('a').text).toBe(before)
      }),
      {
        numRuns: 500,
      },
    )
  })

  it('gives the same octets in whatever order several are added, replaced and removed', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('add', 'change', 'remove')), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(file, steps, (before, todo) => {
        const subject = new File(name, before)
        for (const [one, what] of todo) {
          if (what === 'remove') subject.remove(one)
          else subject.add(one, { url: what })
        }
        for (const one of ['b', 'c', 'a']) subject.remove(one)
        expect(subject.text).toBe(before)
        expect(subject.receipt).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })
})

describe('an edit by somebody else in between', () => {
  it.each([
    ['a member before', '{\n  "x": 1\n}\n', (text: string) => text.replace('"x": 1', '"w": 0,\n  "x": 1')],
    ['a member behind', '{\n  "x": 1\n}\n', (text: string) => text.replace(/\n\}\n$/, ',\n  "y": 2\n}\n')],
    ['a changed value', '{"x": 1, "mcpServers": {"o": {}}}', (text: string) => text.replace('1', '2')],
    [
      'an entry behind ours',
      '{\n  "mcpServers": {\n    "o": {}\n  }\n}',
      (text: string) => text.replace(/\n {2}\}\n\}$/, ',\n    "p": {}\n  }\n}'),
    ],
  ])('stays: %s', (_, before, change) => {
    expect(new File('cursor', before).add('a').edit(change).remove('a').text).toBe(change(before))
  })

  it('stays in TOML, tables and keys before and behind ours', () => {
    const before = '# mine\nmodel = "x"\n'
    const change = (text: string) => `${text.replace('"x"', '"y"')}\n# next\n[tools]\nweb = true\n`
    expect(new File('codex', before).add('a').edit(change).remove('a').text).toBe(change(before))
  })

  it('keeps the container that others use by now, and the file that we made', () => {
    const file = new File('cursor', undefined).add('a')
    file.edit((text) => text.replace('"a"', '"o": {},\n    "a"')).remove('a')
    expect(JSON.parse(file.text ?? '')).toEqual({ mcpServers: { o: {} } })
  })

  it('does not keep a file that we made when nothing else is in it', () => {
    const file = new File('cursor', undefined).add('a').edit((text) => text.replaceAll('  ', '\t'))
    expect(file.remove('a').text).toBeUndefined()
  })

  it('after several of ours, all of them go and only they', () => {
    const before = '{\n  "x": 1\n}\n'
    const change = (text: string) => text.replace('"x": 1', '"x": [2]')
    const file = new File('vscode', before).add('a').add('b').edit(change).add('c')
    expect(file.remove('b').remove('a').remove('c').text).toBe(change(before))
  })

  it('an entry of ours that they took out is forgotten', () => {
    const file = new File('cursor', '{"mcpServers": {"o": {}}}').add('a').edit(() => '{"mcpServers": {"o": {}}}')
    expect(file.remove('a').receipt).toBeUndefined()
    expect(file.text).toBe('{"mcpServers": {"o": {}}}')
  })
})

describe('an entry that is not as this program wrote it', () => {
  it.each([
    ['cursor', '{"mcpServers": {"a": {"url": "theirs"}, "b": {}}}'],
    ['codex', '[mcp_servers.a]\nurl = "theirs"\n[mcp_servers.b]\n'],
  ])('is neither overwritten nor removed without --force, which remembers it: %s', (name, before) => {
    const file = new File(name, before)
    expect(() => file.add('a')).toThrow('FILE: a is there already and not as this program wrote it; --force')
    expect(() => file.remove('a')).toThrow('--force removes it all the same')
    expect(file.text).toBe(before)
    expect(file.add('a', { url: 'ours' }, true).text).toBe(
      before.replace('theirs', 'ours').replace('{"url": "ours"}', '{"url":"ours"}'),
    )
    expect(file.remove('a').text).toBe(before)
    expect(file.remove('a', true).text).not.toContain('theirs')
  })

  it('is put back by its value when others have edited the file', () => {
    const file = new File('cursor', '{"mcpServers": {"a": {"url": "theirs"}}}').add('a', { url: 'ours' }, true)
    file.edit((text) => text.replace('}}}', '}}, "x": 1}'))
    expect(JSON.parse(file.remove('a').text ?? '')).toEqual({ mcpServers: { a: { url: 'theirs' } }, x: 1 })
  })

  it('exactly as wanted is left alone', () => {
    const before = '{"mcpServers": {"a": {"url": "u"}}}'
    const file = new File('cursor', before).add('a', { url: 'u' })
    expect([file.text, file.receipt]).toEqual([before, undefined])
  })
})

describe('a file that cannot be edited is refused with its place', () => {
  it.each([
    ['cursor', '{"a": }', 'FILE:1:7: '],
    ['cursor', '{\n  // comment\n}', 'FILE:2:3: this client reads neither comments nor trailing commas'],
    ['cursor', '[]', 'FILE:1:1: expected an object'],
    ['vscode', '{\n "servers": [] }', 'FILE:2:13: servers is not an object'],
    ['vscode', '{"servers": {}, "servers": {}}', 'FILE:1:17: this name stands here twice'],
    ['codex', 'a = 1\nb = = 2\n', 'FILE:2:'],
    ['codex', 'mcp_servers = 1\n', 'mcp_servers is not a table'],
    ['codex', 'mcp_servers = { b = { url = "u" } }\n', 'FILE'],
  ])('%s: %j', (name, text, message) => {
    const file = new File(name, text)
    expect(() => file.add('a')).toThrow(message)
    expect(file.text).toBe(text)
  })
})
