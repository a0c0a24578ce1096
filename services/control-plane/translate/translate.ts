import type { ResourceMessage } from '@causeway/rpc'
import type { Ir } from '../ir/ir.ts'
import { translateBackend } from './backend.ts'
import { translatePeer } from './peer.ts'
import { translateRelay } from './relay.ts'
import { translateRoute } from './route.ts'

/** An object as it is said to relays. Pure. */
export function translate(ir: Ir): ResourceMessage {
  switch (ir.kind) {
    case 'relay':
      return { kind: 'relay', message: translateRelay(ir) }
    case 'peer':
      return { kind: 'peer', message: translatePeer(ir) }
    case 'backend':
      return { kind: 'backend', message: translateBackend(ir) }
    case 'route':
      return { kind: 'route', message: translateRoute(ir) }
  }
}
