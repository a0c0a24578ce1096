import { ASSOCIATION_TARGETS } from './association-targets.ts'
import { BRIDGE_TARGETS } from './bridge-targets.ts'
import { CONTROL_TARGETS } from './control-targets.ts'
import { EDGE_TARGETS } from './edge-targets.ts'
import type { Target } from './target.ts'
import { WIRE_TARGETS } from './wire-targets.ts'

/** Every decoder that octets from outside reach. */
export const TARGETS: readonly Target[] = [
  ...WIRE_TARGETS,
  ...BRIDGE_TARGETS,
  ...EDGE_TARGETS,
  ...ASSOCIATION_TARGETS,
  ...CONTROL_TARGETS,
]
