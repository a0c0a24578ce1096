import type { MeshRoute } from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import { ScriptedTarget } from '../../../test/fixtures/edge/scripted-target.ts'
import { routesOf } from './from-resources.ts'

function meshRoute(limits: MeshRoute['spec']['limits']): MeshRoute {
  return {
    apiVersion: 'mesh.causeway.dev/v1alpha1',
    kind: 'MeshRoute',
    metadata: { name: 'everything', namespace: 'tools', labels: {}, annotations: {} },
    spec: {
      relayRefs: [{ name: 'edge' }],
      path: '/everything',
      transparent: { target: { backendRef: { name: 'everything' } } },
      limits,
    },
  }
}

describe('routes of resources', () => {
  it('carries name, path, target and limits in our units', () => {
    const target = new ScriptedTarget()
    const resource = meshRoute({ requestTimeout: '1m30s', maxBodyBytes: 2048 })
    expect(routesOf([resource], () => target)).toEqual([
      {
        name: 'tools/everything',
        path: '/everything',
        target,
        limits: { requestTimeoutMs: 90_000, maxBodyOctets: 2048 },
      },
    ])
  })

  it('has no deadline and no body limit of its own where the resource has none', () => {
    const [route] = routesOf([meshRoute({})], () => new ScriptedTarget())
    expect(route?.limits).toEqual({})
  })
})
