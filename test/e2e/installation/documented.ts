import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../tools/step.ts'

/**
 * What docs/install.md says that is left after helm uninstall: the table below the heading, kind and name of each row, where
 * `<relay>` in a name is any relay.
 */
export async function documentedLeftovers(): Promise<readonly { readonly kind: string; readonly name: RegExp }[]> {
  const page = await readFile(join(ROOT, 'docs/install.md'), 'utf8')
  const section = page.split(/^#+ /m).find((one) => one.startsWith('What helm uninstall leaves'))
  if (section === undefined) throw new Error('docs/install.md has no section "What helm uninstall leaves"')
  const rows = [...section.matchAll(/^\| (\w+) \| `([^`]+)`/gm)]
  return rows.map(([, kind = '', name = '']) => ({ kind, name: patternOf(name) }))
}

function patternOf(name: string): RegExp {
  const parts = name.split(/<relay>|<name>/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[-.a-z0-9]+')}$`)
}
