import type { ApiClient } from '../api/client.ts'
import { onlyContainer, type PodObject, type Variable } from './pod-object.ts'

/** The environment of the pod's container, by the rules of kubelet: `env` outranks `envFrom`. */
export async function variablesOf(client: ApiClient, pod: PodObject): Promise<Record<string, string>> {
  const { namespace } = pod.metadata
  const { env = [], envFrom = [] } = onlyContainer(pod)
  const variables: Record<string, string> = {}
  for (const { configMapRef, secretRef } of envFrom) {
    if (configMapRef === undefined || secretRef !== undefined)
      throw new Error('only ConfigMaps are read into variables')
    const path = `/api/v1/namespaces/${namespace}/configmaps/${configMapRef.name}`
    const { data = {} } = (await client.send({ path })) as { data?: Record<string, string> }
    Object.assign(variables, data)
  }
  for (const one of env) variables[one.name] = variableValue(one, pod)
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
