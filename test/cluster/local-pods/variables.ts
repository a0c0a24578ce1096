import type { ApiClient } from '../api/client.ts'
import { onlyContainer, type PodObject, type Variable } from './pod-object.ts'

/** The environment of the pod's container, by the rules of kubelet. */
export async function variablesOf(client: ApiClient, pod: PodObject): Promise<Record<string, string>> {
  const { env = [] } = onlyContainer(pod)
  const variables: Record<string, string> = {}
  const maps = new Map<string, Readonly<Record<string, string>>>()
  const read = async (name: string): Promise<Readonly<Record<string, string>>> => {
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/configmaps/${name}`
    const { data = {} } = (await client.send({ path })) as { data?: Record<string, string> }
    maps.set(name, data)
    return data
  }
  for (const one of env) {
    const entry = one.valueFrom?.configMapKeyRef
    if (entry === undefined) {
      variables[one.name] = variableValue(one, pod)
      continue
    }
    const value = (maps.get(entry.name) ?? (await read(entry.name)))[entry.key]
    if (value === undefined) throw new Error(`ConfigMap ${entry.name} has no ${entry.key}`)
    variables[one.name] = value
  }
  return variables
}

function variableValue({ name, value = '', valueFrom }: Variable, { metadata }: PodObject): string {
  if (valueFrom === undefined) return value
  switch (valueFrom.fieldRef?.fieldPath) {
    case 'metadata.name':
      return metadata.name
    case 'metadata.namespace':
      return metadata.namespace
    case 'metadata.uid':
      return metadata.uid
    case 'status.podIP':
      return '127.0.0.1'
    default:
      throw new Error(`variable ${name} is of a source that nobody here reads`)
  }
}
