import { expect, it } from 'vitest'
import { credentialFile } from './credential-file.ts'

it('says what it is of', () => {
  const entry = { namespace: 'team-a', name: 'tools.api', key: 'token_1' }
  expect(credentialFile({ kind: 'Secret', ...entry })).toBe('secret_team-a_tools.api_token_1')
  expect(credentialFile({ kind: 'ConfigMap', ...entry })).toBe('configmap_team-a_tools.api_token_1')
})

it('is a key of a Secret and tells entries apart, however long their names are', () => {
  const long = { kind: 'Secret', namespace: 'n'.repeat(63), name: 's'.repeat(253) } as const
  const [one, other] = ['a', 'b'].map((key) => credentialFile({ ...long, key }))
  expect(one).toMatch(/^[-._a-zA-Z0-9]{253}$/)
  expect(other).toMatch(/^[-._a-zA-Z0-9]{253}$/)
  expect(one).not.toBe(other)
})
