import { OUTCOME } from '@causeway/npamp'
import type { CallHandle, CallTarget } from '../exchanges/contract.ts'

/** In the place of a target that has no version which could be in force: nothing is sent anywhere (CONTROL section 3). */
export function unavailableTarget(name: string): CallTarget {
  return {
    name: `unavailable ${name}`,
    call: (_request, sink) => {
      sink.fail({
        code: 'NotDelivered',
        outcome: OUTCOME.NOT_DELIVERED,
        message: `${name} is not in force on this relay`,
        hint: 'see the Programmed condition of the object',
      })
      return NOTHING_TO_HANDLE
    },
    notify() {},
    endSession() {},
  }
}

const NOTHING_TO_HANDLE: CallHandle = { cancel() {}, resume() {} }
