import type { StdioBackendOptions } from './contract.ts'

/**
 * The environment of a server's process: what every program needs, what the configuration names, and nothing else of the
 * relay's own, in which there may be credentials.
 */
export function environmentOf(
  options: Pick<StdioBackendOptions, 'env' | 'inheritEnv' | 'relayEnv'>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const environment: Record<string, string> = {}
  const isAllowed = allowList(options.inheritEnv, platform)
  for (const [name, value] of Object.entries(options.relayEnv)) {
    if (value !== undefined && isAllowed(name)) environment[name] = value
  }
  for (const [name, value] of options.env) {
    if (platform === 'win32') removeSpelledOtherwise(environment, name)
    environment[name] = value
  }
  return environment
}

function allowList(inheritEnv: readonly string[], platform: NodeJS.Platform): (name: string) => boolean {
  if (platform !== 'win32') {
    const names = new Set([...POSIX_NAMES, ...inheritEnv])
    return (name) => names.has(name) || name.startsWith('LC_')
  }
  const names = new Set([...WINDOWS_NAMES, ...inheritEnv].map((name) => name.toUpperCase()))
  return (name) => names.has(name.toUpperCase())
}

/** Windows takes `Path` and `PATH` for one variable. */
function removeSpelledOtherwise(environment: Record<string, string>, name: string): void {
  for (const known of Object.keys(environment)) {
    if (known !== name && known.toUpperCase() === name.toUpperCase()) delete environment[known]
  }
}

const POSIX_NAMES = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL', 'TERM']

const WINDOWS_NAMES = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]
