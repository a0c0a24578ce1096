import type { Mutant } from './mutant.ts'

/** A mutant of the operator; `file` is a path inside `operator`. */
function one(name: string, file: string, requirement: string, find: string, replace: string): Mutant {
  return { name, file: `operator/${file}`, requirement, find, replace }
}

const LEAF = 'controllers/certificates/decide-leaf.ts'
const AUTHORITY = 'controllers/certificates/decide-authority.ts'
const IDENTITY = 'controllers/identity/decide.ts'
const MESH_SET = 'world/mesh-set.ts'
const PROTECTION = 'controllers/protection/decide.ts'
const ACCEPTANCE = 'controllers/acceptance/decide.ts'
const CREDENTIALS = 'controllers/credentials/decide.ts'
const POD_TEMPLATE = 'infra/pod-template.ts'
const CONDITION = 'status/condition.ts'

/** Faults in what the operator decides. */
export const OPERATOR_MUTANTS: readonly Mutant[] = [
  one(
    'certificates live to their end',
    'controllers/certificates/lives.ts',
    'OPR-001',
    '((notAfterMs - issuedAtMs) * 2) / 3',
    'notAfterMs - issuedAtMs',
  ),
  one(
    'a certificate of other names is kept',
    LEAF,
    'OPR-001',
    'names.join() !== leaf.names.join()',
    'names.length !== leaf.names.length && leaf.names.length > 9',
  ),
  one(
    'a certificate of the old authority is kept',
    LEAF,
    'OPR-001',
    '!isIssuedBy(held, issuer)',
    "held.certificate === '' && !isIssuedBy(held, issuer)",
  ),
  one(
    'a certificate that is not valid yet is kept',
    LEAF,
    'OPR-001',
    'nowMs < notBeforeMs }',
    'nowMs < notBeforeMs - 1e12 }',
  ),
  one(
    'the next authority issues before everybody trusts it',
    AUTHORITY,
    'OPR-002',
    'if (behind.length === 0) return',
    'if (behind.length < reports.length || reports.length === 0) return',
  ),
  one(
    'the old authority is dropped while its certificates are in use',
    AUTHORITY,
    'OPR-002',
    'if (leavesOfOthers > 0) {',
    'if (leavesOfOthers > 9) {',
  ),
  one(
    'the old authority is dropped from the bundle when the next one issues',
    AUTHORITY,
    'OPR-002',
    "{ authorities: [next.facts, current], issuer: 'next' }",
    "{ authorities: [next.facts], issuer: 'next' }",
  ),
  one(
    'an authority that cannot be read is replaced',
    AUTHORITY,
    'OPR-003',
    "if (current === 'damaged') return { kind: 'damaged', which: 'current' }",
    "if (current === 'damaged') return { kind: 'create' }",
  ),
  one(
    'a deleted authority is made anew in the middle of a rotation',
    AUTHORITY,
    'OPR-003',
    "next === undefined ? { kind: 'create' } : { kind: 'promoteNext' }",
    "{ kind: 'create' }",
  ),
  one(
    'a clock that was set back makes mounted files wait',
    AUTHORITY,
    'OPR-009',
    'Math.min(sinceMs + settleMs - nowMs, settleMs)',
    'sinceMs + settleMs - nowMs',
  ),
  one(
    'of two keys the younger one is adopted',
    IDENTITY,
    'OPR-004',
    "b.sequence < a.sequence ? 'b' : 'a'",
    "b.sequence < a.sequence ? 'a' : 'b'",
  ),
  one(
    'a key that goes with a former relay is adopted',
    IDENTITY,
    'OPR-004',
    'held.ownerUid !== undefined && held.ownerUid !== uid',
    "held.ownerUid !== undefined && held.ownerUid === ''",
  ),
  one(
    'another key in the Secret of an identity is taken for it',
    IDENTITY,
    'OPR-005',
    'if (held.peerHandle !== peerHandle) {',
    "if (held.peerHandle === '') {",
  ),
  one(
    'the overlap is not waited for',
    IDENTITY,
    'OPR-006',
    "if (leftMs > 0) return steady(leftMs, 'the overlap to pass')",
    '',
  ),
  one(
    'an instance that does not accept the next key is left behind',
    IDENTITY,
    'OPR-006',
    'if (facts.peersBehind.length > 0) return',
    'if (facts.peersBehind.length > 9) return',
  ),
  one(
    'a statement ends while it is announced',
    IDENTITY,
    'OPR-006',
    'statementNotAfterMs - nowMs < overlapMs / 2',
    'statementNotAfterMs < nowMs',
  ),
  one(
    'a key is retired that an instance signs with',
    IDENTITY,
    'OPR-007',
    'if (facts.instancesBehind.length > 0) return',
    'if (facts.instancesBehind.length > 9) return',
  ),
  one(
    'a key that no operator made is deleted',
    IDENTITY,
    'OPR-007',
    'held.sequence > 0 && held.sequence < current.sequence',
    'held.sequence < current.sequence',
  ),
  one(
    'identity Secrets go with every relay',
    IDENTITY,
    'OPR-008',
    "const isOwned = deletionPolicy === 'Delete'",
    'const isOwned = deletionPolicy !== undefined',
  ),
  one(
    'a period that began in the future is not counted anew',
    'controllers/identity/decide-time.ts',
    'OPR-009',
    'Date.parse(since) - nowMs > SKEW_MS',
    'Date.parse(since) - nowMs > 1e12',
  ),
  one(
    'who may not use an object holds it',
    MESH_SET,
    'OPR-010',
    "to.name === id.name && !refused.has(fieldPath.join('.'))",
    'to.name === id.name && refused !== undefined',
  ),
  one(
    'a user that is itself going holds',
    MESH_SET,
    'OPR-010',
    'object === undefined || object.metadata.deletionTimestamp !== undefined) return false',
    'object === undefined) return false',
  ),
  one(
    'an object that goes is given the finalizer',
    PROTECTION,
    'OPR-010',
    "if (!hasFinalizer) return { kind: 'leave' }",
    "if (!hasFinalizer) return { kind: 'hold' }",
  ),
  one(
    'nothing is released by its namespace',
    PROTECTION,
    'OPR-011',
    'holds: ({ isNamespaceGoing }) => isNamespaceGoing',
    'holds: ({ isNamespaceGoing, users }) => isNamespaceGoing && users === 0',
  ),
  one(
    'a hold begins when the operator looks',
    PROTECTION,
    'OPR-011',
    'nowMs >= deletedAtMs + holdMs',
    'nowMs > deletedAtMs + holdMs',
  ),
  one(
    'users of what was deleted are told that it never was',
    ACCEPTANCE,
    'OPR-012',
    "before.status === 'True' || before.reason === 'TargetDeleted'",
    "before.reason === 'TargetDeleted'",
  ),
  one(
    'a deletion that is held back is not told',
    ACCEPTANCE,
    'OPR-012',
    'if (!isDeleting || users.length === 0) return undefined',
    'if (!isDeleting || users.length < 99) return undefined',
  ),
  one(
    'what is stored and not valid is forgotten',
    MESH_SET,
    'OPR-013',
    'if (this.#uids.get(key) === object.metadata.uid) return NOTHING',
    "if (this.#uids.get(key) === '') return NOTHING",
  ),
  one('a credential goes with its source', CREDENTIALS, 'OPR-014', '(wanted ?? have) === have', 'wanted === have'),
  one(
    'credentials are copied once',
    CREDENTIALS,
    'OPR-014',
    'wanted !== undefined && wanted !== have',
    'wanted !== undefined && have === undefined',
  ),
  one(
    'a restart that a person asked for is taken back',
    'controllers/workload/foreign-fields.ts',
    'OPR-015',
    '.filter(({ pointer: one }) => !one.endsWith(RESTARTED_AT))',
    '',
  ),
  one(
    'relay pods have an API token',
    POD_TEMPLATE,
    'OPR-016',
    'automountServiceAccountToken: false',
    'automountServiceAccountToken: true',
  ),
  one(
    'a person replaces the labels of the selector',
    POD_TEMPLATE,
    'OPR-016',
    '{ ...workload.labels, ...workloadLabels(relay.metadata.name) }',
    '{ ...workloadLabels(relay.metadata.name), ...workload.labels }',
  ),
  one(
    'replicas are taken from an autoscaler',
    'infra/stateful-set.ts',
    'OPR-016',
    'spec.autoscaling.enabled ? {} : {',
    'spec.autoscaling.enabled && spec.replicas === 99 ? {} : {',
  ),
  one(
    'a condition that says the same is written again',
    CONDITION,
    'OPR-017',
    'before.observedGeneration === generation',
    'before.observedGeneration !== generation',
  ),
  one(
    'every write of a condition is a transition',
    CONDITION,
    'OPR-017',
    'before?.status === verdict.status ? before.lastTransitionTime : seconds(nowMs)',
    'before?.message === verdict.message ? before.lastTransitionTime : seconds(nowMs)',
  ),
]
