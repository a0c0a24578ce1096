import { API_VERSION, formatFieldPath } from '@causeway/mesh-api'
import { type Document, parseAllDocuments, stringify } from 'yaml'

/**
 * What one administration gives another about a relay of its: a MeshPeer without relayRefs, because which relays use it is
 * for the other one to say.
 */
export interface ExportedPeer {
  readonly name: string
  readonly handles: readonly string[]
  readonly addresses: readonly string[]
  readonly protocols: readonly string[]
  readonly profile: string
}

/** What of a spec the other side may say; all else is a decision of those who import it. */
const SAID = ['addresses', 'identity', 'protocols', 'profile', 'acceptSuccessors'] as const

/** YAML, with a line for the person who gets it. */
export function writeExported({ name, handles, addresses, protocols, profile }: ExportedPeer): string {
  const spec = { addresses, identity: { handles }, acceptSuccessors: true, protocols, profile }
  const object = { apiVersion: API_VERSION, kind: 'MeshPeer', metadata: { name }, spec }
  const note = '# causeway peer import --relay <yours> reads this. Compare the handles over another way before.\n'
  return note + stringify(object)
}

export interface ReadPeer {
  readonly name: string
  /** Of a MeshPeer, without relayRefs. */
  readonly spec: Readonly<Record<string, unknown>>
}

/** The file is no exported peer, or says what is not for it to say. */
export class PeerFileError extends Error {
  override readonly name = 'PeerFileError'
}

/**
 * Reads what `writeExported` wrote, whoever wrote it. Its fields have yet to be validated.
 * @throws {PeerFileError}
 */
export function readExported(text: string): ReadPeer {
  const object = parsed(text)
  const { kind, apiVersion, metadata, spec } = isRecord(object) ? object : {}
  if (kind !== 'MeshPeer' || apiVersion !== API_VERSION || !isRecord(metadata) || !isRecord(spec)) {
    throw new PeerFileError(`it is something else: ${ONE_PEER}`)
  }
  const { name } = metadata
  if (typeof name !== 'string') throw new PeerFileError('metadata.name: is missing')
  const tooMuch = Object.keys(spec).find((field) => !(SAID as readonly string[]).includes(field))
  if (tooMuch !== undefined) {
    throw new PeerFileError(
      `${formatFieldPath(['spec', tooMuch])}: is not for the other side to say; take it out, and set it after the import`,
    )
  }
  const { identity } = spec
  const isPinned = isRecord(identity) && Object.keys(identity).length === 1 && Array.isArray(identity.handles)
  if (!isPinned) throw new PeerFileError('spec.identity: must be handles, and nothing else')
  return { name, spec }
}

function parsed(text: string): unknown {
  try {
    return documentOf(text).toJS({ maxAliasCount: 0 }) as unknown
  } catch (error) {
    if (error instanceof PeerFileError) throw error
    throw new PeerFileError(`it is no YAML: ${firstLine(error instanceof Error ? error.message : String(error))}`)
  }
}

/** Without the lines of the file that follow: whoever wrote it does not write on our terminal. */
function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/:$/, '').replace(/[^\x20-\x7e]/g, '?')
}

/** The only one, and without faults. */
function documentOf(text: string): Document {
  const documents = parseAllDocuments(text)
  const [document] = documents
  if (documents.length > 1) {
    throw new PeerFileError(`it has ${documents.length} documents: ${ONE_PEER}`)
  }
  if (document === undefined) throw new PeerFileError(`it is empty: ${ONE_PEER}`)
  const [error] = document.errors
  if (error !== undefined) throw error
  return document
}

const ONE_PEER = `it must be one MeshPeer of ${API_VERSION}, as causeway peer export writes it`

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
