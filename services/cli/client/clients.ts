import { posix, win32 } from 'node:path'
import type { Machine } from '../host.ts'

/**
 * The MCP clients whose configuration this program writes: where each keeps it, and how it writes down a server. One row
 * a client; what differs between them stands here and nowhere else.
 */
export interface Client {
  readonly name: string
  readonly title: string
  readonly format: 'json' | 'jsonc' | 'toml'
  /** The member of the file that holds one entry a server. */
  readonly container: string
  readonly userFile: (places: Places) => string
  /** Below the project's folder; undefined where the client knows no configuration of a project. */
  readonly projectFile: readonly string[] | undefined
  /** Undefined where the client's file describes programs only. */
  readonly http: ((url: string) => Entry) | undefined
  readonly stdio: (command: string, args: readonly string[]) => Entry
  /** What the person does to see a new server; undefined where the client notices by itself. */
  readonly next: string | undefined
}

/** What a client's file says of one server. */
export type Entry = Readonly<Record<string, string | readonly string[]>>

export type Scope = 'user' | 'project'

/** The folders that clients start from, by system and environment. */
export interface Places {
  readonly home: string
  /** Where programs keep what belongs to them: `%APPDATA%`, `~/Library/Application Support`, `$XDG_CONFIG_HOME`. */
  readonly applicationData: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly join: (...parts: string[]) => string
}

export function placesOf(machine: Machine, environment: Places['environment']): Places {
  const { join, isAbsolute } = machine.platform === 'win32' ? win32 : posix
  const home = environment.HOME || environment.USERPROFILE || machine.homeFolder
  // The XDG specification: a path that is not absolute is to be ignored.
  const configHome = isAbsolute(environment.XDG_CONFIG_HOME ?? '') ? environment.XDG_CONFIG_HOME : undefined
  const applicationData = {
    win32: environment.APPDATA || join(home, 'AppData', 'Roaming'),
    darwin: join(home, 'Library', 'Application Support'),
    other: configHome ?? join(home, '.config'),
  }
  const system = machine.platform === 'win32' || machine.platform === 'darwin' ? machine.platform : 'other'
  return { home, applicationData: applicationData[system], environment, join }
}

const program = (command: string, args: readonly string[]): Entry => ({ command, args })
const typedProgram = (command: string, args: readonly string[]): Entry => ({ type: 'stdio', command, args })

export const CLIENTS: readonly Client[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    container: 'mcpServers',
    userFile: ({ home, environment, join }) => join(environment.CLAUDE_CONFIG_DIR || home, '.claude.json'),
    projectFile: ['.mcp.json'],
    http: (url) => ({ type: 'http', url }),
    stdio: typedProgram,
    next: 'start a new session of Claude Code to see it',
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    container: 'mcpServers',
    userFile: ({ applicationData, join }) => join(applicationData, 'Claude', 'claude_desktop_config.json'),
    projectFile: undefined,
    http: undefined,
    stdio: program,
    next: 'quit Claude Desktop and start it again to see it',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    format: 'json',
    container: 'mcpServers',
    userFile: ({ home, join }) => join(home, '.cursor', 'mcp.json'),
    projectFile: ['.cursor', 'mcp.json'],
    http: (url) => ({ url }),
    stdio: program,
    next: 'restart Cursor to see it',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    format: 'jsonc',
    container: 'servers',
    userFile: ({ applicationData, join }) => join(applicationData, 'Code', 'User', 'mcp.json'),
    projectFile: ['.vscode', 'mcp.json'],
    http: (url) => ({ type: 'http', url }),
    stdio: typedProgram,
    next: undefined,
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    container: 'mcp_servers',
    userFile: ({ home, environment, join }) => join(environment.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    projectFile: ['.codex', 'config.toml'],
    http: (url) => ({ url }),
    stdio: program,
    next: 'restart Codex to see it',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    format: 'jsonc',
    container: 'mcpServers',
    userFile: ({ home, join }) => join(home, '.gemini', 'settings.json'),
    projectFile: ['.gemini', 'settings.json'],
    http: (url) => ({ httpUrl: url }),
    stdio: program,
    next: 'restart Gemini CLI to see it',
  },
]

/** The file of a client; undefined where it has none in this scope. */
export function fileOf(client: Client, scope: Scope, places: Places, workingFolder: string): string | undefined {
  if (scope === 'user') return client.userFile(places)
  return client.projectFile === undefined ? undefined : places.join(workingFolder, ...client.projectFile)
}
