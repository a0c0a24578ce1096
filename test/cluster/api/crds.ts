import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { until } from '../wait.ts'
import type { ApiClient } from './client.ts'

/** The generated definitions of the product's kinds. */
const CRD_FOLDER = fileURLToPath(new URL('../../../charts/causeway-crds/crds', import.meta.url))

interface Definition {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly names: { readonly plural: string }
    readonly versions: readonly { readonly name: string; readonly served: boolean }[]
  }
}

/** Applies every definition in `folder` and resolves when the API server serves each of them. */
export async function applyCrds(client: ApiClient, folder: string = CRD_FOLDER): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'))
  const definitions = await Promise.all(
    files.map(async (name) => parse(await readFile(join(folder, name), 'utf8')) as Definition),
  )
  await Promise.all(definitions.map((one) => applyCrd(client, one)))
}

/** Resolves when the condition `Established` is true and a list is answered. */
async function applyCrd(client: ApiClient, definition: Definition): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`
  await client.send({
    method: 'PATCH',
    path: `${path}?fieldManager=causeway-test&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: definition,
  })
  const { group, names, versions } = definition.spec
  const served = versions.filter((version) => version.served)
  await until(`${definition.metadata.name} is served`, async () => {
    if (!isEstablished(await client.send({ path }))) return false
    const lists = served.map(({ name }) => client.request({ path: `/apis/${group}/${name}/${names.plural}?limit=1` }))
    return (await Promise.all(lists)).every(({ status }) => status === 200)
  })
}

function isEstablished(definition: unknown): boolean {
  const { status } = definition as { status?: { conditions?: { type: string; status: string }[] } }
  return status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false
}
