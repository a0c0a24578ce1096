import { CONTROL_PLANE_NAME, OPERATOR_NAME } from '../../cluster/names.ts'
import { titleOf } from '../../objects/mesh-object.ts'
import type { Check, Finding } from '../line.ts'
import {
  type ClusterSnapshot,
  type Installation,
  isRunning,
  type LeaseState,
  type Workload,
  watches,
} from './snapshot.ts'

/** Six times what a Lease lasts, for clocks that differ. */
const SILENT_LEASE_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000
const BUNDLE_WARNING_MS = 14 * DAY_MS

/** Operator and control plane of each installation, and what they keep. */
export const INSTALLATION_CHECKS: readonly Check<ClusterSnapshot>[] = [
  {
    category: 'installation',
    check: 'present',
    title: 'Causeway is installed',
    judge: ({ installations, onlyInstallation }) =>
      installations &&
      (installations.length > 0
        ? []
        : [
            {
              level: 'failed',
              message: `no installation ${onlyInstallation === undefined ? 'on this cluster' : `in namespace ${onlyInstallation}`}`,
              hint: 'docs/install.md: helm install causeway',
            },
          ]),
  },
  {
    category: 'installation',
    check: 'operator',
    title: 'the operator runs',
    judge: each((one) => workloadFindings(one, OPERATOR_NAME, one.operator)),
  },
  {
    category: 'installation',
    check: 'control-plane',
    title: 'the control plane runs',
    judge: each((one) => workloadFindings(one, CONTROL_PLANE_NAME, one.controlPlane)),
  },
  {
    category: 'installation',
    check: 'operator-leader',
    title: 'the operator has a leader',
    judge: (snapshot) =>
      each((one) => (isRunning(one.operator) ? leaderFindings(snapshot, one, OPERATOR_NAME, one.operatorLease) : []))(
        snapshot,
      ),
  },
  {
    category: 'installation',
    check: 'control-plane-leader',
    title: 'the control plane has a leader, which writes status',
    judge: (snapshot) =>
      each((one) =>
        isRunning(one.controlPlane) ? leaderFindings(snapshot, one, CONTROL_PLANE_NAME, one.controlPlaneLease) : [],
      )(snapshot),
  },
  {
    category: 'installation',
    check: 'version',
    title: 'what runs has the version of this command',
    judge: (snapshot) =>
      each((one) =>
        [one.operator, one.controlPlane].flatMap((workload) => versionFindings(snapshot, one, workload)).slice(0, 1),
      )(snapshot),
  },
  {
    category: 'installation',
    check: 'disjoint',
    title: 'no namespace is looked after twice',
    judge: ({ installations }) => installations?.flatMap((one, index) => overlaps(one, installations.slice(index + 1))),
  },
  {
    category: 'installation',
    check: 'trust-bundle',
    title: 'relays have the authorities that sign certificates, and these last',
    judge: bundleFindings,
  },
  {
    category: 'resources',
    check: 'watched',
    title: 'every resource is in a namespace that is looked after',
    judge: ({ installations, objects, onlyInstallation }) => {
      if (installations === undefined || installations.length === 0 || onlyInstallation !== undefined) return undefined
      return objects
        ?.filter(({ namespace }) => !installations.some((one) => watches(one, namespace)))
        .map((object) => ({
          level: 'failed',
          message: `${titleOf(object)}: no installation looks after namespace ${object.namespace}`,
          hint: 'put it into a namespace that is, or add its namespace to watchNamespaces of the chart',
        }))
    },
  },
]

function each(findings: (installation: Installation) => readonly Finding[]) {
  return ({ installations }: ClusterSnapshot) =>
    installations === undefined || installations.length === 0 ? undefined : installations.flatMap(findings)
}

function workloadFindings(
  { namespace }: Installation,
  name: string,
  workload: Workload | undefined,
): readonly Finding[] {
  const where = `${namespace}/${name}`
  if (workload === undefined) {
    return [{ level: 'failed', message: `${where}: there is no such Deployment`, hint: 'helm upgrade puts it back' }]
  }
  const { desired, available } = workload
  if (available > 0 && available >= desired) return []
  const hint = `kubectl --namespace ${namespace} describe pods --selector app.kubernetes.io/name=${name}`
  if (desired === 0)
    return [{ level: 'failed', message: `${where}: scaled to nothing`, hint: 'helm upgrade scales it up' }]
  const message = `${where}: ${available} of ${desired} pods are available`
  return [{ level: available === 0 ? 'failed' : 'warning', message, hint }]
}

function leaderFindings(
  { nowMs }: ClusterSnapshot,
  { namespace }: Installation,
  name: string,
  lease: LeaseState | undefined,
): readonly Finding[] {
  if (lease === undefined) return []
  const where = `${namespace}/${name}`
  const hint = `the log of its pods says why; kubectl --namespace ${namespace} get lease ${name}`
  if (lease.holder === '') return [{ level: 'failed', message: `${where}: nobody holds the Lease`, hint }]
  const silentMs = nowMs - lease.renewedAtMs
  if (silentMs < SILENT_LEASE_MS) return []
  const message = `${where}: ${lease.holder} has not renewed the Lease for ${Math.round(silentMs / 1000)} s`
  return [{ level: 'failed', message, hint }]
}

function versionFindings(
  { version }: ClusterSnapshot,
  { namespace }: Installation,
  workload: Workload | undefined,
): readonly Finding[] {
  const tag = /:([^:/@]+)$/.exec(workload?.image ?? '')?.[1]
  if (tag === undefined || tag === version) return []
  const hint = 'use the command of that version, or helm upgrade'
  return [{ level: 'warning', message: `${namespace}: ${tag} runs, and this is ${version}`, hint }]
}

function overlaps(one: Installation, others: readonly Installation[]): readonly Finding[] {
  return others.flatMap((other) => {
    const shared = one.watchNamespaces?.find((namespace) => watches(other, namespace))
    const found =
      shared ?? (one.watchNamespaces === undefined ? (other.watchNamespaces?.[0] ?? 'every namespace') : undefined)
    if (found === undefined) return []
    return [
      {
        level: 'failed',
        message: `${one.namespace} and ${other.namespace} both look after ${found}`,
        hint: 'give each installation its own watchNamespaces',
      },
    ]
  })
}

function bundleFindings({ bundles, nowMs, installations }: ClusterSnapshot): readonly Finding[] | undefined {
  if (bundles === undefined || installations === undefined || installations.length === 0) return undefined
  return [...bundles].flatMap(([namespace, bundle]): readonly Finding[] => {
    const of = `${namespace}/causeway-trust`
    const hint = 'the operator keeps it: its log says why it does not'
    const looksAfter = installations.find((one) => watches(one, namespace))
    if (bundle === undefined) {
      // An operator that does not run has made none: that is told already.
      if (!isRunning(looksAfter?.operator)) return []
      return [{ level: 'failed', message: `${of}: there is no such ConfigMap`, hint }]
    }
    if (bundle.endsAtMs === undefined) return [{ level: 'failed', message: `${of}: it has no certificate`, hint }]
    const leftMs = bundle.endsAtMs - nowMs
    if (leftMs > BUNDLE_WARNING_MS) return []
    const when = new Date(bundle.endsAtMs).toISOString()
    const message = `${of}: a certificate authority ${leftMs < 0 ? 'ended' : 'ends'} ${when}`
    return [{ level: leftMs < 0 ? 'failed' : 'warning', message, hint }]
  })
}
