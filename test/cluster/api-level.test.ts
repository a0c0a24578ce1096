import { describe, expect, test } from 'vitest'
import { ApiError } from './api/client.ts'
import { useApiCluster } from './use-api-cluster.ts'
import { until } from './wait.ts'

describe('an API server on its own', () => {
  const cluster = useApiCluster()

  function configMap(name: string, value: string): Promise<string> {
    return cluster().apply(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } }))
  }

  const storedValue = (name: string) => cluster().kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.value}')

  test('a definition with a CEL rule is served, and a wrong object is refused with the rule’s message', async () => {
    await cluster().apply(WIDGETS)
    await cluster().kubectl('wait', '--for=condition=Established', 'crd/widgets.test.causeway.dev', '--timeout=30s')
    await cluster().apply(widget('right', 1, 2))
    await expect(cluster().apply(widget('wrong', 2, 1))).rejects.toThrow('min must not be above max')
  })

  test('the product’s kinds are served as soon as their definitions are applied', async () => {
    await cluster().applyCrds()
    expect(await cluster().kubectl('get', 'meshrelays', '-o', 'name')).toBe('')
  })

  test('a killed API server comes back on its port with its data', async () => {
    await configMap('kept', 'before')
    await cluster().killApiServer()
    await expect(cluster().client.request({ path: '/readyz' })).rejects.toThrow('ECONNREFUSED')
    await cluster().restartApiServer()
    expect(await storedValue('kept')).toBe('before')
  })

  test('a paused API server is silent until it is woken', async () => {
    cluster().pauseApiServer()
    await expect(cluster().client.request({ path: '/readyz', timeoutMs: 300 })).rejects.toThrow('no answer')
    cluster().resumeApiServer()
    expect(await cluster().client.request({ path: '/readyz' })).toEqual({ status: 200, body: 'ok' })
  })

  test('after a compaction and a restart, a watch from before ends with 410', async () => {
    const path = '/api/v1/namespaces/default/configmaps'
    const { metadata } = (await cluster().client.send({ path })) as { metadata: { resourceVersion: string } }
    await configMap('compacted', '1')
    await configMap('compacted', '2')
    await cluster().killApiServer()
    expect(await cluster().compactEtcd()).toBeGreaterThan(Number(metadata.resourceVersion))
    await cluster().restartApiServer()

    const old = `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`
    const error = await firstEvent(old).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toHaveProperty('status', 410)
  })

  test('a service account acts under its own rights, and the audit log tells what it did', async () => {
    await cluster().kubectl('create', 'serviceaccount', 'reader')
    await cluster().kubectl('create', 'role', 'reader', '--verb=get', '--resource=configmaps')
    await cluster().kubectl('create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=default:reader')
    await configMap('readable', 'yes')
    const reader = await cluster().credentialsFor({ namespace: 'default', name: 'reader' })

    expect(await cluster().kubectlAs(reader, 'get', 'configmap', 'readable', '-o', 'name')).toContain('readable')
    await expect(cluster().kubectlAs(reader, 'get', 'secrets')).rejects.toThrow('Forbidden')

    const own = (await cluster().auditEvents()).filter(({ user }) => user === 'system:serviceaccount:default:reader')
    expect(own).toContainEqual(
      expect.objectContaining({
        verb: 'get',
        apiGroup: '',
        resource: 'configmaps',
        subresource: '',
        namespace: 'default',
        name: 'readable',
        code: 200,
      }),
    )
    expect(own).toContainEqual(expect.objectContaining({ verb: 'list', resource: 'secrets', code: 403 }))
  })

  async function firstEvent(path: string): Promise<unknown> {
    for await (const event of cluster().client.watch(path, AbortSignal.timeout(10_000))) return event
    return undefined
  }
})

describe('with the controller manager', () => {
  const cluster = useApiCluster({ controllerManager: true })

  test('what an object owned goes with it, and a namespace ends with all that it holds', async () => {
    await cluster().kubectl('create', 'namespace', 'short-lived')
    await cluster().kubectl('create', 'deployment', 'one', '--image=one', '--namespace=short-lived')
    const pods = () => cluster().kubectl('get', 'pods', '--namespace=short-lived', '-o', 'name')
    await until('the Deployment has made its pod', async () => (await pods()) !== '')

    await cluster().kubectl('delete', 'deployment', 'one', '--namespace=short-lived')
    await until('the pod is collected', async () => (await pods()) === '')
    await cluster().kubectl('delete', 'namespace', 'short-lived', '--timeout=60s')
    await expect(cluster().kubectl('get', 'namespace', 'short-lived')).rejects.toThrow('NotFound')
  })
})

const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.test.causeway.dev }
spec:
  group: test.causeway.dev
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                min: { type: integer }
                max: { type: integer }
              x-kubernetes-validations:
                - { rule: self.min <= self.max, message: min must not be above max }
`

function widget(name: string, min: number, max: number): string {
  return JSON.stringify({ apiVersion: 'test.causeway.dev/v1', kind: 'Widget', metadata: { name }, spec: { min, max } })
}
