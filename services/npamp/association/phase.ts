import type { CloseCode } from '../codepoints/close-codes.ts'
import { MisuseError } from '../errors.ts'
import type { AssociationState } from './contract.ts'
import type { HandshakeStep } from './handshake-steps.ts'
import type { Live } from './live.ts'

/** Where an association stands, with exactly what exists there. */
export type Phase =
  | { readonly name: 'handshaking'; readonly step: HandshakeStep }
  | { readonly name: 'established'; readonly live: Live }
  | { readonly name: 'ready'; readonly live: Live }
  | { readonly name: 'closing'; readonly live: Live; readonly code: CloseCode; readonly reason: string }
  | { readonly name: 'closed' }

const NEXT: Readonly<Record<AssociationState, readonly AssociationState[]>> = {
  handshaking: ['handshaking', 'established', 'closed'],
  established: ['ready', 'closing', 'closed'],
  ready: ['ready', 'closing', 'closed'],
  closing: ['closed'],
  closed: [],
}

/** The only way from one phase to another. Throws MisuseError STATE for a step that does not exist. */
export function enter(from: Phase, to: Phase): Phase {
  if (!NEXT[from.name].includes(to.name)) throw new MisuseError('STATE', `no way from ${from.name} to ${to.name}`)
  return to
}
