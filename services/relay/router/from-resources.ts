import { durationMs, type MeshRoute } from '@causeway/mesh-api'
import type { CallTarget } from '../exchanges/contract.ts'
import type { Route } from './route.ts'

/** The routes that these resources describe; `targetOf` finds the backend or the peer's target that each leads to. */
export function routesOf(resources: readonly MeshRoute[], targetOf: (route: MeshRoute) => CallTarget): Route[] {
  return resources.map((resource) => {
    const { requestTimeout, maxBodyBytes } = resource.spec.limits
    return {
      name: `${resource.metadata.namespace}/${resource.metadata.name}`,
      path: resource.spec.path,
      target: targetOf(resource),
      limits: {
        ...(requestTimeout !== undefined && { requestTimeoutMs: durationMs(requestTimeout) }),
        ...(maxBodyBytes !== undefined && { maxBodyOctets: maxBodyBytes }),
      },
    }
  })
}
