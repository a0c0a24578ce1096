import { KIND_NAMES, KINDS } from '@causeway/mesh-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHANGES } from '../../services/mesh-api/fixtures/broken/changes.ts'
import { SEEDS } from '../../services/mesh-api/fixtures/rows/seeds.ts'
import { useApiCluster } from '../cluster/use-api-cluster.ts'

const API = '/apis/mesh.causeway.dev/v1alpha1/namespaces/default'

/** What a validation alone does not show: that objects can be written, part by part and again. */
describe('a real API server', () => {
  const cluster = useApiCluster()

  beforeAll(() => cluster().applyCrds())

  it.each(KIND_NAMES)('takes parts of a %s from several owners by server-side apply', async (kind) => {
    for (const [index, seed] of SEEDS[kind].entries()) {
      const object = { ...seed, metadata: { name: `applied-${index}` } }
      const path = `${API}/${KINDS[kind].plural}/${object.metadata.name}`
      const apply = (owner: string) =>
        cluster().client.send({
          method: 'PATCH',
          path: `${path}?fieldManager=${owner}&fieldValidation=Strict`,
          body: object,
          contentType: 'application/apply-patch+yaml',
        })
      await apply('first')
      await apply('second')
    }
  })

  it.each(CHANGES)('refuses a change as we do: $name', async ({ before, after, expected }) => {
    const path = `${API}/${KINDS[before.kind as keyof typeof KINDS].plural}`
    const stored = (await cluster().client.send({
      method: 'POST',
      path,
      body: { ...before, metadata: { generateName: 'changed-' } },
    })) as { metadata: { name: string } }
    const { status, body } = await cluster().client.request({
      method: 'PUT',
      path: `${path}/${stored.metadata.name}?fieldValidation=Strict`,
      body: { ...after, metadata: stored.metadata },
    })
    if (expected === undefined) return expect(status).toBe(200)
    expect(status).toBe(422)
    const { causes } = (body as { details: { causes: { field: string; message: string }[] } }).details
    expect(causes.map(({ field, message }) => `${field}: ${message.replace('Invalid value: ', '')}`)).toEqual([
      expect.stringContaining(expected),
    ])
  })

  it('prints what a Kubernetes user looks for, and explains every field', async () => {
    const objects = KIND_NAMES.flatMap((kind) => SEEDS[kind].slice(0, 1)).map((seed) => JSON.stringify(seed))
    await cluster().apply(objects.join('\n---\n'))
    const all = await cluster().kubectl('get', 'causeway')
    for (const kind of KIND_NAMES) {
      const { plural, shortName, columns } = KINDS[kind]
      expect(all).toContain(`${kind.toLowerCase()}.mesh.causeway.dev/`)
      const table = await cluster().kubectl('get', shortName, '-o', 'wide')
      for (const { name } of columns) expect(table.split('\n')[0]).toContain(name.toUpperCase())
      const explained = await cluster().kubectl('explain', `${plural}.spec`, '--recursive')
      expect(explained).toContain('FIELDS:')
    }
  })
})
