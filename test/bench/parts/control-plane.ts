import { systemClock } from '@causeway/kube'
import { createLogger, createMetrics } from '@causeway/telemetry'
import { ControlPlane } from '../../../services/control-plane/control-plane.ts'
import type { SourceChange, SourceObject } from '../../../services/control-plane/sources/source.ts'
import { aBackend, aRelay, aRoute } from '../../fixtures/control-plane/objects.ts'
import { ScriptedSource } from '../../fixtures/control-plane/running.ts'

/** A control plane whose source tells what it is told, on the real clock, with these objects. */
export function controlPlaneOf(first: SourceChange, settleMs: number): { plane: ControlPlane; source: ScriptedSource } {
  const plane = new ControlPlane({
    place: 'files',
    installation: undefined,
    installationNamespace: undefined,
    label: (relay, ordinal) => `${relay}-${ordinal}`,
    clock: systemClock(),
    random: Math.random,
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    timing: { settleMs },
  })
  const source = plane.readFrom((observer) => new ScriptedSource(observer))
  source.tell(first)
  source.synced()
  return { plane, source }
}

/** So many objects, of so many relays `r0`, `r1` ...: a relay, and then backends and routes to them in turns. */
export function meshOf(relays: number, objects: number): readonly SourceObject[] {
  const each = Math.floor(objects / relays) - 1
  return Array.from({ length: relays }, (_, relay) => [
    aRelay(`r${relay}`),
    ...Array.from({ length: each }, (__, index) => objectOf(`r${relay}`, index)),
  ]).flat()
}

function objectOf(relay: string, index: number): SourceObject {
  const relayRefs = [{ name: relay }]
  const backend = `${relay}-b${index - (index % 2)}`
  if (index % 2 === 0) return aBackend(backend, { relayRefs })
  const transparent = { target: { backendRef: { name: backend } } }
  return aRoute(`${relay}-t${index}`, { relayRefs, path: `/t${index}`, transparent })
}
