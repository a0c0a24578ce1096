import { basename, dirname, sep } from 'node:path'
import { printable } from '@causeway/mesh-api'

export interface Variables {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder that the file stands in, absolute. */
  readonly folder: string
}

/**
 * A text with its variables replaced as the hosts of such files do: `${NAME}`, `${NAME:-default}` (Claude Code),
 * `${env:NAME}`, `${userHome}`, `${workspaceFolder}` and their like (VS Code, Cursor). Other texts are left alone. A
 * problem names the variable, never a value.
 */
export function expand(text: string, variables: Variables): { readonly text: string } | { readonly problem: string } {
  let problem: string | undefined
  const expanded = text.replace(/\$\{([^{}]{1,256})\}/g, (whole, inner: string) => {
    const found = lookUp(inner, variables)
    if (found === undefined) return whole
    if ('problem' in found) problem ??= found.problem
    return 'problem' in found ? '' : found.text
  })
  return problem === undefined ? { text: expanded } : { problem }
}

type Found = { readonly text: string } | { readonly problem: string } | undefined

function lookUp(inner: string, variables: Variables): Found {
  const predefined = PREDEFINED[inner]
  if (predefined !== undefined) return { text: predefined(variables) }
  const [, prefix = '', rest = ''] = /^([a-zA-Z]+):(?!-)(.*)$/.exec(inner) ?? []
  if (prefix === 'env') return ofEnvironment(rest, undefined, variables)
  if (prefix === 'input') {
    return {
      problem: `\${${inner}} asks a person, and there is none to ask here; write \${NAME} and set that variable`,
    }
  }
  if (prefix !== '')
    return { problem: `knows no variable ${printable(`\${${inner}}`)}; write \${NAME} or \${env:NAME}` }
  const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/.exec(inner) ?? []
  return name === undefined ? undefined : ofEnvironment(name, fallback, variables)
}

function ofEnvironment(name: string, fallback: string | undefined, { environment }: Variables): Found {
  const value = environment[name]
  if (fallback !== undefined && (value === undefined || value === '')) return { text: fallback }
  return value === undefined ? { problem: `the environment variable ${printable(name)} is not set` } : { text: value }
}

const PREDEFINED: Readonly<Record<string, ((variables: Variables) => string) | undefined>> = {
  userHome: ({ environment }) => environment.HOME ?? environment.USERPROFILE ?? '',
  workspaceFolder: ({ folder }) => workspace(folder),
  workspaceFolderBasename: ({ folder }) => basename(workspace(folder)),
  pathSeparator: () => sep,
  '/': () => sep,
}

/** Editors keep the file in a folder of their own inside the workspace. */
function workspace(folder: string): string {
  return ['.vscode', '.cursor'].includes(basename(folder)) ? dirname(folder) : folder
}
