/** The two halves of the demo's mesh, as two organisations would write them: each knows only itself and its peer's PeerHandle. */

export interface ToolsSide {
  readonly keyFile: string
  readonly edgeHandle: string
  readonly legacyUrl: string
  readonly modernUrl: string
}

export const toolsYaml = ({ keyFile, edgeHandle, legacyUrl, modernUrl }: ToolsSide): string => `\
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: { name: tools }
spec:
  identity: { keyFile: ${JSON.stringify(keyFile)} }
  listeners:
    npamp: { host: 127.0.0.1, port: 0 }
    admin: { host: 127.0.0.1, port: 0 }
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshPeer
metadata: { name: edge }
spec:
  relayRefs: [{ name: tools }]
  identity: { handles: [${JSON.stringify(edgeHandle)}] }
  dial: never
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: { name: legacy }
spec:
  relayRefs: [{ name: tools }]
  mcp: { url: ${JSON.stringify(legacyUrl)} }
  peers: [{ name: edge }]
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: { name: modern }
spec:
  relayRefs: [{ name: tools }]
  mcp: { url: ${JSON.stringify(modernUrl)} }
  peers: [{ name: edge }]
`

export interface EdgeSide {
  readonly keyFile: string
  readonly toolsHandle: string
  /** `npamp://host:port`. */
  readonly toolsAddress: string
}

export const edgeYaml = ({ keyFile, toolsHandle, toolsAddress }: EdgeSide): string => `\
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: { name: edge }
spec:
  identity: { keyFile: ${JSON.stringify(keyFile)} }
  listeners:
    mcp: { host: 127.0.0.1, port: 0 }
    admin: { host: 127.0.0.1, port: 0 }
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshPeer
metadata: { name: tools }
spec:
  relayRefs: [{ name: edge }]
  addresses: [${JSON.stringify(toolsAddress)}]
  identity: { handles: [${JSON.stringify(toolsHandle)}] }
  dial: always
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRoute
metadata: { name: legacy }
spec:
  relayRefs: [{ name: edge }]
  path: /legacy
  transparent: { target: { peer: { name: tools, target: legacy } } }
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRoute
metadata: { name: modern }
spec:
  relayRefs: [{ name: edge }]
  path: /modern
  transparent: { target: { peer: { name: tools, target: modern } } }
`
