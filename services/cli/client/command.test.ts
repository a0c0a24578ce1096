import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mintCertificate } from '../../../test/fixtures/http/certificate.ts'
import type { CliHost } from '../host.ts'
import { runProgram } from '../program.ts'
import { CLIENTS, fileOf, placesOf } from './clients.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const URL_OF_SEARCH = 'http://127.0.0.1:8080/search/mcp'

async function causeway(...args: string[]) {
  let out = ''
  let error = ''
  const unused = () => {
    throw new Error('this command needs none of it')
  }
  const host: CliHost = {
    environment: { HOME: home },
    writeOut: (text) => {
      out += text
    },
    writeError: (text) => {
      error += text
    },
    onStopSignal: unused,
    onExit: unused,
    exitNow: unused,
    loadRelay: unused,
    connect: unused,
    machine: {
      platform: 'linux',
      homeFolder: home,
      workingFolder: join(home, 'project'),
      node: '/usr/bin/node',
      connectLauncher: '/opt/connect/launch.mjs',
    },
  }
  return { code: await runProgram(['client', ...args], host), out, error }
}

const add = (client: string, ...more: string[]) => causeway('add', 'search', URL_OF_SEARCH, '--client', client, ...more)
const remove = (client: string, ...more: string[]) => causeway('remove', 'search', '--client', client, ...more)
const file = (path: string) => readFileSync(join(home, path), 'utf8')

/** Every path below the home folder. */
function tree(): string[] {
  return readdirSync(home, { recursive: true }).map(String).sort()
}

describe('causeway client add', () => {
  it.each([
    ['claude-code', '.claude.json', { mcpServers: { search: { type: 'http', url: URL_OF_SEARCH } } }],
    ['cursor', '.cursor/mcp.json', { mcpServers: { search: { url: URL_OF_SEARCH } } }],
    ['vscode', '.config/Code/User/mcp.json', { servers: { search: { type: 'http', url: URL_OF_SEARCH } } }],
    ['gemini', '.gemini/settings.json', { mcpServers: { search: { httpUrl: URL_OF_SEARCH } } }],
    [
      'claude-desktop',
      '.config/Claude/claude_desktop_config.json',
      { mcpServers: { search: { command: '/usr/bin/node', args: ['/opt/connect/launch.mjs', URL_OF_SEARCH] } } },
    ],
  ])('writes what %s reads, and remove leaves nothing behind', async (client, path, content) => {
    const next = CLIENTS.find(({ name }) => name === client)?.next
    expect(await add(client)).toEqual({
      code: 0,
      out: `${join(home, path)}\n${next === undefined ? '' : `${next}\n`}`,
      error: '',
    })
    expect(JSON.parse(file(path))).toEqual(content)
    expect(statSync(join(home, path)).mode & 0o777).toBe(0o600)
    expect(await remove(client)).toEqual({ code: 0, out: `${join(home, path)}\n`, error: '' })
    expect(tree()).toEqual([])
  })

  it('writes TOML for Codex', async () => {
    await add('codex', '--stdio', '--header', `Authorization: Bearer \${TOKEN}`)
    expect(file('.codex/config.toml')).toBe(
      '[mcp_servers.search]\ncommand = "/usr/bin/node"\n' +
        `args = [ "/opt/connect/launch.mjs", "--header", "Authorization: Bearer \${TOKEN}", "${URL_OF_SEARCH}" ]\n`,
    )
    await remove('codex')
    expect(tree()).not.toContain('.codex')
  })

  it.each([
    ['claude-code', '.mcp.json'],
    ['cursor', '.cursor/mcp.json'],
    ['vscode', '.vscode/mcp.json'],
    ['codex', '.codex/config.toml'],
    ['gemini', '.gemini/settings.json'],
  ])('writes for the project of %s', async (client, path) => {
    expect((await add(client, '--scope', 'project')).out.split('\n')[0]).toBe(join(home, 'project', path))
    await remove(client, '--scope', 'project')
    expect(tree()).not.toContain('project')
  })

  it.each([[['vscode', 'claude-desktop']], [['claude-desktop', 'vscode']]])(
    'remove takes the folders that add made with the last entry in them: %j',
    async (order) => {
      await add('vscode')
      await add('claude-desktop')
      for (const client of order) await remove(client)
      expect(tree()).toEqual([])

      mkdirSync(join(home, '.config'))
      await add('vscode')
      await add('claude-desktop')
      for (const client of order) await remove(client)
      expect(tree()).toEqual(['.config'])
    },
  )

  it('says what is left to do to see the server', async () => {
    expect((await add('cursor')).out).toBe(`${join(home, '.cursor/mcp.json')}\nrestart Cursor to see it\n`)
    expect((await add('cursor')).out).not.toContain('restart')
    expect((await add('vscode')).out).toBe(`${join(home, '.config/Code/User/mcp.json')}\n`)
  })

  it('leaves mode and symbolic link as they are, and no temporary file', async () => {
    mkdirSync(join(home, 'dotfiles'))
    mkdirSync(join(home, '.cursor'))
    const target = join(home, 'dotfiles', 'mcp.json')
    const before = '\uFEFF{\r\n  "mcpServers" : { }\r\n}'
    writeFileSync(target, before)
    chmodSync(target, 0o640)
    symlinkSync(target, join(home, '.cursor', 'mcp.json'))
    await add('cursor')
    expect(lstatSync(join(home, '.cursor', 'mcp.json')).isSymbolicLink()).toBe(true)
    expect(file('dotfiles/mcp.json')).toContain(URL_OF_SEARCH)
    expect(statSync(target).mode & 0o777).toBe(0o640)
    await remove('cursor')
    expect(file('dotfiles/mcp.json')).toBe(before)
    expect(readdirSync(join(home, 'dotfiles'))).toEqual(['mcp.json'])
  })

  it('--dry-run prints the change and makes none', async () => {
    mkdirSync(join(home, '.cursor'))
    writeFileSync(join(home, '.cursor/mcp.json'), '{\n  "mcpServers": {}\n}\n')
    const before = tree()
    expect((await add('cursor', '--dry-run')).out).toBe(
      [
        `${join(home, '.cursor/mcp.json')}, line 2`,
        '-   "mcpServers": {}',
        '+   "mcpServers": {',
        '+     "search": {',
        `+       "url": "${URL_OF_SEARCH}"`,
        '+     }',
        '+   }',
        '',
      ].join('\n'),
    )
    expect([tree(), file('.cursor/mcp.json')]).toEqual([before, '{\n  "mcpServers": {}\n}\n'])
  })

  it('twice is once', async () => {
    await add('cursor')
    const before = file('.cursor/mcp.json')
    expect((await add('cursor')).out).toBe(`search is there already: ${join(home, '.cursor/mcp.json')}\n`)
    expect(file('.cursor/mcp.json')).toBe(before)
  })

  it.each([
    [['a b', 'http://a.example/', '--client', 'cursor'], 'the name may have'],
    [['a', 'a.example', '--client', 'cursor'], 'is not an http or https URL'],
    [['a', 'http://u:p@a.example/', '--client', 'cursor'], 'holds credentials'],
    [['a', 'http://a.example/', '--client', 'cursor', '--header', 'a: b'], 'use them with --stdio'],
    [['a', 'http://a.example/', '--client', 'claude-desktop', '--scope', 'project'], 'no configuration of a project'],
    [['a', 'http://a.example/', '--client', 'emacs'], "argument 'emacs' is invalid"],
    [['a', 'http://a.example/'], "required option '--client <client>' not specified"],
  ])('%j is refused', async (args, why) => {
    const { code, error } = await causeway('add', ...args)
    expect(code).toBe(2)
    expect(error).toContain(why)
    expect(tree()).toEqual([])
  })

  it('an inline table of Codex, to which nothing can be added, is named with its line and what to write', async () => {
    mkdirSync(join(home, '.codex'))
    const before = 'model = "m"\n\nmcp_servers = { a = { url = "http://127.0.0.1/a" } }\n'
    writeFileSync(join(home, '.codex/config.toml'), before)
    const { code, error } = await add('codex')
    expect({ code, error }).toEqual({
      code: 2,
      error:
        `causeway: ${join(home, '.codex/config.toml')}:3:1: mcp_servers is an inline table here, to which nothing can be ` +
        'added; write each server as a table of its own: [mcp_servers.search]\n',
    })
    expect(file('.codex/config.toml')).toBe(before)
  })

  it('follows a chain of symbolic links to a file that is not there yet, and refuses one without an end', async () => {
    mkdirSync(join(home, '.cursor'))
    mkdirSync(join(home, 'dotfiles'))
    const path = join(home, '.cursor/mcp.json')
    symlinkSync('../dotfiles/first', path)
    symlinkSync('second', join(home, 'dotfiles/first'))
    symlinkSync('mcp.json', join(home, 'dotfiles/second'))
    expect(await add('cursor')).toMatchObject({ code: 0, error: '' })
    expect(file('dotfiles/mcp.json')).toContain(URL_OF_SEARCH)
    expect(lstatSync(join(home, 'dotfiles/second')).isSymbolicLink()).toBe(true)

    rmSync(path)
    symlinkSync('mcp.json', path)
    const refused = await add('cursor', '--force')
    expect([refused.code, refused.error]).toEqual([1, `causeway: ${path} cannot be read: ELOOP\n`])
  })

  it('a file that is no JSON is named with its place and left alone', async () => {
    mkdirSync(join(home, '.cursor'))
    writeFileSync(join(home, '.cursor/mcp.json'), '{\n  "a" 1\n}')
    const { code, error } = await add('cursor')
    expect(code).toBe(2)
    expect(error).toBe(`causeway: ${join(home, '.cursor/mcp.json')}:2:7: expected : behind the name, found 1\n`)
    writeFileSync(join(home, '.cursor/mcp.json'), Buffer.from([0x7b, 0xff, 0x7d]))
    expect((await add('cursor')).error).toContain('is not UTF-8')
  })
})

describe('options of causeway-connect', () => {
  it('are written with absolute paths', async () => {
    const { cert, key } = await mintCertificate('a.example')
    mkdirSync(join(home, 'project'))
    writeFileSync(join(home, 'project/me.pem'), cert)
    writeFileSync(join(home, 'project/me.key'), key)
    const files = ['--cacert', 'me.pem', '--cert', './me.pem', '--key', join(home, 'project/me.key')]
    expect(await add('claude-desktop', ...files)).toMatchObject({ code: 0, error: '' })
    expect(JSON.parse(file('.config/Claude/claude_desktop_config.json')).mcpServers.search.args).toEqual([
      '/opt/connect/launch.mjs',
      ...['--cacert', join(home, 'project/me.pem'), '--cert', join(home, 'project/me.pem')],
      ...['--key', join(home, 'project/me.key'), URL_OF_SEARCH],
    ])
  })

  it.each([
    [['--header', 'Authorizatio'], 'needs the form "Name: value"'],
    [['--header', 'Host: a'], 'belongs to the protocol'],
    [['--cacert', 'nofile.pem'], 'project/nofile.pem cannot be read: ENOENT'],
    [['--cert', 'nofile.pem'], '--cert needs --key FILE'],
    [['--cert', 'nofile.pem', '--key', 'nofile.key'], 'project/nofile.pem cannot be read: ENOENT'],
  ])('%j is refused at once', async (options, why) => {
    const { code, error } = await add('cursor', '--stdio', ...options)
    expect(code).toBe(2)
    expect(error).toContain(why)
    expect(tree()).toEqual([])
  })
})

describe('causeway client list', () => {
  it('shows what is configured where, and nothing that may be a secret', async () => {
    await add('claude-desktop', '--header', 'X-Key: hidden')
    mkdirSync(join(home, 'project/.cursor'), { recursive: true })
    const theirs = { url: 'https://a.example/mcp?key=hidden' }
    const tool = { command: 'npx', args: ['--key', 'hidden'] }
    writeFileSync(join(home, 'project/.cursor/mcp.json'), JSON.stringify({ mcpServers: { theirs, tool } }))
    const { code, out } = await causeway('list')
    expect(code).toBe(0)
    expect(out).not.toContain('hidden')
    expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['search', 'claude-desktop (user)', `stdio, ${URL_OF_SEARCH}`],
      ['theirs *', 'cursor (project)', 'https://a.example/mcp'],
      ['tool *', 'cursor (project)', 'npx'],
      ['* not written by this program'],
      [''],
    ])
    const json = JSON.parse((await causeway('list', '--client', 'cursor', '--json')).out)
    expect(json).toMatchObject([{ name: 'theirs', ours: false }, { name: 'tool' }])
  })

  it('tells of a file that it cannot read, and shows the rest', async () => {
    await add('claude-code')
    mkdirSync(join(home, '.cursor'))
    writeFileSync(join(home, '.cursor/mcp.json'), '[')
    const { code, out, error } = await causeway('list')
    expect([code, out.includes('claude-code (user)'), error.includes('mcp.json:1:2: ')]).toEqual([2, true, true])
  })
})

it.each([
  ['darwin', {}, 'claude-desktop', '/Users/p/Library/Application Support/Claude/claude_desktop_config.json'],
  ['darwin', {}, 'vscode', '/Users/p/Library/Application Support/Code/User/mcp.json'],
  ['win32', { APPDATA: 'C:\\A' }, 'claude-desktop', 'C:\\A\\Claude\\claude_desktop_config.json'],
  ['win32', { USERPROFILE: 'C:\\U' }, 'vscode', 'C:\\U\\AppData\\Roaming\\Code\\User\\mcp.json'],
  ['win32', { USERPROFILE: 'C:\\U' }, 'cursor', 'C:\\U\\.cursor\\mcp.json'],
  ['linux', { XDG_CONFIG_HOME: '/x' }, 'vscode', '/x/Code/User/mcp.json'],
  ['linux', { XDG_CONFIG_HOME: 'relative' }, 'vscode', '/Users/p/.config/Code/User/mcp.json'],
  ['linux', { HOME: '/h' }, 'gemini', '/h/.gemini/settings.json'],
  ['linux', { CODEX_HOME: '/c' }, 'codex', '/c/config.toml'],
  ['linux', { CLAUDE_CONFIG_DIR: '/cc' }, 'claude-code', '/cc/.claude.json'],
] as const)('on %s with %j the file of %s is %s', (platform, environment, name, path) => {
  const client = CLIENTS.find((one) => one.name === name)
  const machine = { platform, homeFolder: '/Users/p', workingFolder: '/w', node: '', connectLauncher: '' }
  expect(client && fileOf(client, 'user', placesOf(machine, environment), dirname('/w/x'))).toBe(path)
})
