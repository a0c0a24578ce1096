import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import { useOperatorStand } from './stand.ts'

const stand = useOperatorStand({ controllerManager: true })
afterEach(() => stand().stopOperators())

const STATEFUL_SET = '/apis/apps/v1/namespaces/shop/statefulsets/causeway-edge'

function applyAs(manager: string, object: object): Promise<unknown> {
  return stand().cluster.client.send({
    method: 'PATCH',
    path: `${STATEFUL_SET}?fieldManager=${manager}&force=true`,
    body: { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'causeway-edge' }, ...object },
    contentType: 'application/apply-patch+yaml',
  })
}

const template = async () => (await stand().kube.get('StatefulSet', 'shop', 'causeway-edge')).spec.template

describe('what runs a relay', { timeout: 120_000 }, () => {
  it('follows its MeshRelay', async () => {
    const { kube } = stand()
    const listeners = { mcp: { host: '0.0.0.0', port: 8080 } }
    await kube.write('MeshRelay', 'shop', 'edge', {
      replicas: 2,
      listeners,
      workload: { nodeSelector: { pool: 'mesh' } },
    })
    await stand().startLeading()
    const made = await until('the StatefulSet', () => kube.find('StatefulSet', 'shop', 'causeway-edge'))
    expect([made.spec.replicas, made.spec.template.spec.nodeSelector]).toEqual([2, { pool: 'mesh' }])
    await until('the Service', () => kube.find('Service', 'shop', 'causeway-edge'))
    await kube.write('MeshRelay', 'shop', 'edge', { replicas: 3, listeners: {}, workload: {} })
    await until('it is changed, and what is no longer wanted is gone', async () => {
      const { spec } = await kube.get('StatefulSet', 'shop', 'causeway-edge')
      return spec.replicas === 3 && spec.template.spec.nodeSelector === undefined
    })
    await until('the Service is gone', async () => !(await kube.find('Service', 'shop', 'causeway-edge')))
    await kube.write('MeshRelay', 'shop', 'edge', { replicas: 2, listeners })
    await until('the Service is back', () => kube.find('Service', 'shop', 'causeway-edge'))
    await kube.untilCondition('MeshRelay', 'shop', 'edge', 'Ready', { status: 'False', reason: 'InstancesNotReady' })
  })

  it('is put right again where a person edits or deletes it', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await kube.patch('StatefulSet', 'shop', 'causeway-edge', {
      spec: {
        replicas: 7,
        template: { spec: { terminationGracePeriodSeconds: 1, automountServiceAccountToken: true } },
      },
    })
    await until('the StatefulSet is as it was', async () => {
      const { replicas, template: pods } = (await kube.get('StatefulSet', 'shop', 'causeway-edge')).spec
      return replicas === 2 && pods.spec.terminationGracePeriodSeconds === 20 && !pods.spec.automountServiceAccountToken
    })
    await kube.patch('Service', 'shop', 'causeway-edge', { spec: { selector: { app: 'mine' } } })
    await until('the Service selects the pods again', async () => {
      const { selector } = (await kube.get('Service', 'shop', 'causeway-edge')).spec
      return selector['mesh.causeway.dev/relay'] === 'edge' && selector.app === undefined
    })
    const managedBy = { metadata: { labels: { 'app.kubernetes.io/managed-by': 'me' } } }
    await kube.patch('StatefulSet', 'shop', 'causeway-edge', managedBy)
    await until('the StatefulSet is called ours again', async () => {
      const { labels } = (await kube.get('StatefulSet', 'shop', 'causeway-edge')).metadata
      return labels?.['app.kubernetes.io/managed-by'] === 'causeway-operator'
    })
    for (const kind of ['ServiceAccount', 'PodDisruptionBudget', 'NetworkPolicy', 'ConfigMap', 'StatefulSet']) {
      const { uid } = (await kube.get(kind, 'shop', 'causeway-edge')).metadata
      await kube.delete(kind, 'shop', 'causeway-edge')
      await until(`${kind} is made again`, async () => {
        const found = await kube.find(kind, 'shop', 'causeway-edge')
        return found !== undefined && found.metadata.uid !== uid && found.metadata.deletionTimestamp === undefined
      })
    }
  })

  it('keeps additions of others, but not in the pod template: those are removed and told', async () => {
    const { kube } = stand()
    await stand().startLeading()
    const meta = { labels: { 'example.com/owner': 'platform' } }
    const debug = { name: 'debug', image: 'debug', command: ['sleep'] }
    const pods = {
      metadata: { annotations: { 'example.com/injected': 'yes' } },
      spec: {
        hostNetwork: true,
        containers: [debug, { name: 'relay', env: [{ name: 'NODE_OPTIONS', value: '--inspect' }] }],
      },
    }
    await applyAs('injector', { metadata: { name: 'causeway-edge', ...meta }, spec: { template: pods } })
    await until('the template is ours again', async () => {
      const { metadata, spec } = await template()
      const [relay] = spec.containers
      return (
        spec.containers.length === 1 &&
        // What the API server made of hostNetwork.
        relay.ports.every((port: object) => !('hostPort' in port)) &&
        relay.env.every(({ name }: { name: string }) => name.startsWith('CAUSEWAY_')) &&
        spec.hostNetwork === undefined &&
        metadata.annotations['example.com/injected'] === undefined
      )
    })
    const { note } = await kube.untilEvent('shop', 'edge', 'ForeignFieldRemoved', 'hostNetwork (of injector)')
    expect(note).toContain('containers.1')
    // What a person changed of ours was put right, and never taken away.
    for (const told of await kube.events('shop', 'edge', 'ForeignFieldRemoved'))
      expect(told.note).not.toContain('terminationGracePeriodSeconds')
    const { labels } = (await kube.get('StatefulSet', 'shop', 'causeway-edge')).metadata
    expect(labels).toMatchObject(meta.labels)
  })

  it('lets a person restart the pods', async () => {
    const { cluster } = stand()
    await stand().startLeading()
    await cluster.kubectl('-n', 'shop', 'rollout', 'restart', 'statefulset/causeway-edge')
    await cluster.kubectl('-n', 'shop', 'annotate', 'statefulset/causeway-edge', 'example.com/seen=1')
    await stand().kube.write('MeshRelay', 'shop', 'edge', {
      replicas: 1,
      listeners: { mcp: { host: '0.0.0.0', port: 8080 } },
    })
    await until(
      'the operator has been here since',
      async () => (await stand().kube.get('StatefulSet', 'shop', 'causeway-edge')).spec.replicas === 1,
    )
    expect((await template()).metadata.annotations).toHaveProperty('kubectl.kubernetes.io/restartedAt')
  })

  it('goes on with the storage that it was made with, and says so', async () => {
    const { kube, cluster } = stand()
    await stand().startLeading()
    await kube.write('MeshRelay', 'shop', 'stored', {})
    const { metadata, spec } = await until('it is there', () => kube.find('StatefulSet', 'shop', 'causeway-stored'))
    await stand().stopOperators()
    // Made by another release, or from a backup.
    await kube.delete('StatefulSet', 'shop', 'causeway-stored')
    const [claim] = structuredClone(spec.volumeClaimTemplates)
    claim.spec.resources.requests.storage = '7Gi'
    const { name, namespace, labels, ownerReferences } = metadata
    const others = {
      metadata: { name, namespace, labels, ownerReferences },
      spec: { ...spec, volumeClaimTemplates: [claim] },
    }
    await until('the other one is there', async () => {
      await kube.create('StatefulSet', 'shop', others)
      return true
    })
    await stand().startLeading()
    await kube.untilEvent('shop', 'stored', 'StorageNotChanged', '--cascade=orphan')
    await kube.write('MeshRelay', 'shop', 'stored', { limits: { drain: '30s' } })
    const storage = async () => {
      const found = await kube.find('StatefulSet', 'shop', 'causeway-stored')
      const isFollowed = found?.spec.template.spec.terminationGracePeriodSeconds === 40
      return isFollowed ? found?.spec.volumeClaimTemplates[0].spec.resources.requests.storage : undefined
    }
    expect(await until('all else of it follows', storage)).toBe('7Gi')
    // As the event says.
    await cluster.kubectl('-n', 'shop', 'delete', 'statefulset/causeway-stored', '--cascade=orphan')
    await until('it is made anew', async () => ![undefined, '7Gi'].includes(await storage()))
  })

  it('leaves replicas to an autoscaler', async () => {
    const { kube, cluster } = stand()
    await kube.write('MeshRelay', 'shop', 'scaled', { replicas: 1, autoscaling: { enabled: true } })
    await stand().startLeading()
    await until('the StatefulSet', () => kube.find('StatefulSet', 'shop', 'causeway-scaled'))
    await cluster.kubectl('-n', 'shop', 'scale', 'statefulset/causeway-scaled', '--replicas=4')
    await kube.write('MeshRelay', 'shop', 'scaled', { autoscaling: { enabled: true }, limits: { drain: '30s' } })
    const changed = await until('the operator has been here since', async () => {
      const found = await kube.get('StatefulSet', 'shop', 'causeway-scaled')
      return found.spec.template.spec.terminationGracePeriodSeconds === 40 ? found : undefined
    })
    expect(changed.spec.replicas).toBe(4)
  })

  it('takes nothing that belongs to others', async () => {
    const { kube } = stand()
    await kube.create('ConfigMap', 'shop', { metadata: { name: 'causeway-mine' }, data: { a: 'b' } })
    await kube.write('MeshRelay', 'shop', 'mine', {})
    await stand().startLeading()
    const { message } = await kube.untilCondition('MeshRelay', 'shop', 'mine', 'Ready', { reason: 'NameTaken' })
    expect(message).toContain('ConfigMap causeway-mine')
    expect((await kube.get('ConfigMap', 'shop', 'causeway-mine')).data).toEqual({ a: 'b' })
    expect(await kube.find('StatefulSet', 'shop', 'causeway-mine')).toBeUndefined()
    await kube.delete('ConfigMap', 'shop', 'causeway-mine')
    await kube.patch('MeshRelay', 'shop', 'mine', { metadata: { labels: { look: 'again' } } })
    await kube.untilCondition('MeshRelay', 'shop', 'mine', 'Ready', { reason: 'InstancesNotReady' })
  })

  it.each(['operator', 'trust'])(
    'runs no pods with what a relay called %s would share with the chart',
    async (name) => {
      const { kube } = stand()
      await kube.write('MeshRelay', 'shop', 'first', {})
      await stand().startLeading()
      // As the chart makes it in its own namespace, and the operator beside the first relay.
      if (name === 'operator') await kube.create('ServiceAccount', 'shop', { metadata: { name: 'causeway-operator' } })
      else await until('the bundle', () => kube.find('ConfigMap', 'shop', 'causeway-trust'))
      await kube.write('MeshRelay', 'shop', name, {})
      await kube.untilCondition('MeshRelay', 'shop', name, 'Ready', { status: 'False', reason: 'NameTaken' })
      expect(await kube.find('StatefulSet', 'shop', `causeway-${name}`)).toBeUndefined()
      await kube.delete('MeshRelay', 'shop', name)
    },
  )

  it('goes with its relay, and is adopted by none of the same name before it has gone', async () => {
    const { kube } = stand()
    await stand().startLeading()
    const { uid } = (await kube.get('StatefulSet', 'shop', 'causeway-mine')).metadata
    await kube.delete('MeshRelay', 'shop', 'mine')
    await kube.write('MeshRelay', 'shop', 'mine', { replicas: 2 })
    const next = await until('a StatefulSet of the new relay', async () => {
      const found = await kube.find('StatefulSet', 'shop', 'causeway-mine')
      return found !== undefined && found.metadata.uid !== uid ? found : undefined
    })
    const owner = (await kube.get('MeshRelay', 'shop', 'mine')).metadata.uid
    expect(next.metadata.ownerReferences?.map((one) => one.uid)).toEqual([owner])
  })
})
