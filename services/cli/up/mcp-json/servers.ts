import type { FieldPath } from '@causeway/mesh-api'

/** What an `mcpServers` file says, as far as a relay serves it. */
export interface McpServers {
  readonly servers: readonly McpServer[]
  /** Names of entries that are there and switched off. */
  readonly disabled: readonly string[]
}

export interface McpServer {
  /** As the file has it. */
  readonly name: string
  /** Its name in the path `/SEGMENT/mcp`. */
  readonly segment: string
  readonly kind: 'stdio' | 'http' | 'sse'
  /** `spec.mcp` of its MeshBackend, before validation. */
  readonly mcp: object
  /** Field path of the MeshBackend -> what of the file it was made from. */
  readonly origins: ReadonlyMap<string, Origin>
}

/** A part of the file. */
export interface Origin {
  readonly path: FieldPath
  readonly offset: number
}
