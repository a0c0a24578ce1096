import { closureOf, type MeshBackend, type MeshRoute } from '@causeway/mesh-api'
import type { Plan } from './plan.ts'
import type { Report } from './report.ts'

/**
 * Warns of headers that a route forwards to a backend of its own relay that does not accept them: they would be dropped
 * there without a word. What a backend behind a peer accepts is not known here.
 */
export function warnOfUnaccepted(
  { resources, relayNames }: Pick<Plan, 'resources' | 'relayNames'>,
  report: Pick<Report, 'warning'>,
): void {
  const closures = relayNames.flatMap((name) => closureOf(resources, name) ?? [])
  for (const route of new Set(closures.flatMap(({ routes }) => routes))) {
    const { metadata, spec } = route
    const backendRef = spec.transparent?.target.backendRef
    if (backendRef === undefined) continue
    const namespaceOf = backendRef.namespace ?? metadata.namespace
    const backend = resources.backends.find(
      ({ metadata: { namespace, name } }) => namespace === namespaceOf && name === backendRef.name,
    )
    const message = backend && messageFor(route, backend)
    if (message === undefined) continue
    const name = `${metadata.namespace}/${metadata.name}`
    report.warning({ kind: route.kind, name, fieldPath: 'spec.forwardHeaders', message })
  }
}

function messageFor({ spec: { forwardHeaders } }: MeshRoute, { metadata, spec }: MeshBackend): string | undefined {
  const dropped = forwardHeaders.filter((header) => !spec.acceptHeaders.includes(header))
  if (dropped.length === 0) return undefined
  const name = `${metadata.namespace}/${metadata.name}`
  const why =
    spec.mcp.stdio === undefined
      ? `dropped, as spec.acceptHeaders of MeshBackend/${name} does not name them`
      : `dropped, as MeshBackend/${name} is a program (spec.mcp.stdio), which gets no headers`
  return `${dropped.join(', ')}: ${why}`
}
