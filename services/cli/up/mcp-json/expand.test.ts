import { sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expand } from './expand.ts'

const variables = { environment: { TOKEN: 't0ken', EMPTY: '', HOME: '/home/ada' }, folder: '/work/tree/.vscode' }
const expanded = (text: string) => expand(text, variables)

describe('variables in a file', () => {
  it.each([
    ['plain', 'plain'],
    [`Bearer \${TOKEN}`, 'Bearer t0ken'],
    [`\${env:TOKEN}-\${TOKEN}`, 't0ken-t0ken'],
    [`\${EMPTY}`, ''],
    [`\${EMPTY:-fallback}`, 'fallback'],
    [`\${NOT_SET:-fall:-back}`, 'fall:-back'],
    [`\${NOT_SET:-}`, ''],
    [`\${userHome}\${/}x`, `/home/ada${sep}x`],
    [`\${workspaceFolder}`, '/work/tree'],
    [`\${workspaceFolderBasename}`, 'tree'],
    [`$TOKEN \${} \${1x} \${a b}`, `$TOKEN \${} \${1x} \${a b}`],
  ])('%j is %j', (text, wanted) => expect(expanded(text)).toEqual({ text: wanted }))

  it('what a variable holds is not expanded again', () => {
    const nested = { ...variables, environment: { A: `\${B}`, B: 'b' } }
    expect(expand(`\${A}`, nested)).toEqual({ text: `\${B}` })
  })

  it('names what is not set, and no value', () => {
    expect(expanded(`\${TOKEN} \${NOT_SET}`)).toEqual({
      problem: 'the environment variable "NOT_SET" is not set',
    })
    expect(expanded(`\${input:key}`)).toEqual({ problem: expect.stringContaining('asks a person') })
    expect(expanded(`\${command:x}`)).toEqual({ problem: expect.stringContaining('knows no variable') })
  })

  it("a folder that is no editor's is the workspace itself", () => {
    expect(expand(`\${workspaceFolder}`, { ...variables, folder: '/work/tree' })).toEqual({ text: '/work/tree' })
  })
})
