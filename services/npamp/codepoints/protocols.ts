import { MisuseError } from '../errors.ts'

/** protocol_id values of the Bridge registry that are assigned (REG-003). */
export const PROTOCOL = { MCP: 0x01, A2A: 0x02, HTTP2: 0x03, WEBSOCKET: 0x04 } as const

/** The registry names the classes; the numbers are ours (digest 05 G3). */
export const CARRIAGE_CLASS = { JSONRPC: 1, HTTP: 2, MSG: 3, STREAM: 4, DOC: 5, OPAQUE: 6 } as const
export type CarriageClass = (typeof CARRIAGE_CLASS)[keyof typeof CARRIAGE_CLASS]

export interface Protocol {
  readonly id: number
  readonly name: string
  readonly carriageClass: CarriageClass
  /** Further classes of the same protocol, e.g. DOC for an A2A card. */
  readonly alsoCarries: readonly CarriageClass[]
}

/** New rows go into 0x05-0x0F only, by the registry's procedure (REG-014). */
export const PROTOCOLS: readonly Protocol[] = [
  { id: PROTOCOL.MCP, name: 'MCP', carriageClass: CARRIAGE_CLASS.JSONRPC, alsoCarries: [] },
  { id: PROTOCOL.A2A, name: 'A2A', carriageClass: CARRIAGE_CLASS.JSONRPC, alsoCarries: [CARRIAGE_CLASS.DOC] },
  { id: PROTOCOL.HTTP2, name: 'HTTP/2', carriageClass: CARRIAGE_CLASS.HTTP, alsoCarries: [] },
  { id: PROTOCOL.WEBSOCKET, name: 'WebSocket', carriageClass: CARRIAGE_CLASS.STREAM, alsoCarries: [] },
]

/** What is carried when nobody chose; no experimental or private id ever stands here (REG-011). */
export const DEFAULT_PROTOCOLS: readonly number[] = [PROTOCOL.MCP]

export type ProtocolRange = 'null' | 'specificationRequired' | 'experimental' | 'privateUse'

/** REG-001. `id` is one octet. */
export function protocolRange(id: number): ProtocolRange {
  if (id === 0x00) return 'null'
  if (id <= 0x0f) return 'specificationRequired'
  if (id <= 0x7f) return 'experimental'
  return 'privateUse'
}

/** The assigned protocol; undefined for null, free, experimental and private ids. */
export function protocolById(id: number): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.id === id)
}

/** By its registered name, exactly as in the table or in lower case: `mcp`, `a2a`. */
export function protocolByName(name: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.name === name || protocol.name.toLowerCase() === name)
}

/**
 * The class under which an id is read: its registered one (REG-004), OPAQUE for private use (REG-013). Undefined where
 * only an agreement can say it (experimental) or nothing can (null, unassigned).
 */
export function carriageClassOf(id: number): CarriageClass | undefined {
  return protocolById(id)?.carriageClass ?? (protocolRange(id) === 'privateUse' ? CARRIAGE_CLASS.OPAQUE : undefined)
}

/**
 * Checks the ids that we mean to carry with one peer. `agreed` holds the experimental and private ids that were agreed
 * with that very peer outside the protocol (REG-010, REG-012). Throws MisuseError ARGUMENT.
 */
export function checkCarriedProtocols(ids: readonly number[], agreed: ReadonlySet<number> = new Set()): void {
  for (const id of ids) {
    const fault = whyNotCarried(id, agreed)
    if (fault !== undefined) throw new MisuseError('ARGUMENT', `protocol_id ${id} ${fault}`)
  }
}

function whyNotCarried(id: number, agreed: ReadonlySet<number>): string | undefined {
  if (!Number.isInteger(id) || id < 0 || id > 0xff) return 'is not one octet'
  switch (protocolRange(id)) {
    case 'null':
      return 'is the null id'
    case 'specificationRequired':
      return protocolById(id) === undefined ? 'is not assigned' : undefined
    case 'experimental':
      return agreed.has(id) ? undefined : 'is experimental and was not agreed with this peer'
    case 'privateUse':
      return agreed.has(id) ? undefined : 'is for private use and was not agreed with this peer'
  }
}
