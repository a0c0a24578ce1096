import { OUTCOME } from '@causeway/npamp'
import type { CallFailure, CallHandle, CallTarget } from '../../exchanges/contract.ts'

/** In the place of a target, for calls that may change something while the configuration is too old (CONTROL section 3). */
export function onlyReadOnly(target: CallTarget): CallTarget {
  return {
    name: target.name,
    call: (_request, sink) => {
      sink.fail(TOO_OLD)
      return NOTHING_TO_HANDLE
    },
    notify: (notification) => target.notify(notification),
    endSession: (session, reason) => target.endSession(session, reason),
  }
}

const TOO_OLD: CallFailure = {
  code: 'SafetyPolicy',
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'the configuration of this relay is older than it may be, and only what is read_only is served',
  hint: 'the relay has no control plane; see spec.config of its MeshRelay',
}

const NOTHING_TO_HANDLE: CallHandle = { cancel() {}, resume() {} }
