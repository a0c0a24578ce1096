import { formatFieldPath } from '@causeway/mesh-api'
import type { ObjectState } from '../../snapshot/object-state.ts'
import { type Concerned, share } from '../concerned.ts'
import type { Truth } from '../object-status.ts'
import { NO_RELAY, no, unknown, type Verdict, yes } from './verdict.ts'

/** What one instance says of the version that relays are sent now. */
export interface Programming {
  readonly programmed: Truth
  readonly reason?: string
  readonly message?: string
}

export function programmingOf({ acceptance }: Concerned, versionHex: string | undefined): Programming {
  if (acceptance === undefined || versionHex === undefined || acceptance.versionHex !== versionHex) {
    return { programmed: 'Unknown' }
  }
  const { refusal } = acceptance
  if (refusal === undefined) return { programmed: 'True' }
  return { programmed: 'False', reason: refusal.reason, message: located(refusal.fieldPath, refusal.message) }
}

/**
 * True: every connected instance that it concerns has accepted this generation (CONTROL section 4). An instance whose
 * stream has ended counts by what it said last, and is not waited for.
 */
export function programmed({ standing, placed }: ObjectState, concerned: readonly Concerned[]): Verdict {
  switch (standing.state) {
    case 'invalid': {
      const [problem] = standing.problems
      const what = problem === undefined ? 'it is not valid' : located(problem.fieldPath, problem.message)
      return no('InvalidStored', `${what}; the last good version stays in force`)
    }
    case 'refused': {
      const [finding] = standing.findings
      const what = finding === undefined ? '' : located(formatFieldPath(finding.fieldPath), finding.message)
      return no('NotAccepted', placed === undefined ? what : `${what}; the last good version stays in force`)
    }
    case 'withheld':
      return no(standing.withheld.reason, located(standing.withheld.fieldPath, standing.withheld.message))
    case 'foreign':
      return no('NotAccepted', `the installation ${standing.controller} has accepted it`)
    case 'not delivered':
      return no('NotImplemented', 'objects of this kind are not implemented yet')
    case 'delivered':
      return byInstances(placed?.resource.versionHex, concerned)
  }
}

function byInstances(versionHex: string | undefined, concerned: readonly Concerned[]): Verdict {
  const said = concerned.map((one) => ({ ...one, ...programmingOf(one, versionHex) }))
  const refused = said.filter((one) => one.programmed === 'False')
  const [first] = refused
  if (first !== undefined) {
    const others = refused.length === 1 ? '' : ` (${share(refused, said)})`
    const text = `${first.label}: ${first.reason}: ${first.message}${others}`
    // CONTROL section 5: what waits for a file is told by that name.
    return no(first.reason === 'CredentialPending' ? first.reason : 'Rejected', text)
  }
  const accepted = said.filter((one) => one.programmed === 'True')
  const awaited = said.filter((one) => one.programmed === 'Unknown' && one.isConnected)
  if (awaited.length > 0) return unknown('Pending', `${share(accepted, said)} accepted it so far`)
  if (accepted.length === 0) return NO_RELAY
  return yes('Programmed', `${share(accepted, accepted)} accepted it`)
}

function located(fieldPath: string, message: string): string {
  return fieldPath === '' || message.startsWith(fieldPath) ? message : `${fieldPath}: ${message}`
}
