import { BRIDGE_MUTANTS } from './bridge.ts'
import { KEYS_AND_HANDSHAKE_MUTANTS } from './keys-and-handshake.ts'
import type { Mutant } from './mutant.ts'

/** Every mutant; each room of the core has a file of its own. */
export const MUTANTS: readonly Mutant[] = [...KEYS_AND_HANDSHAKE_MUTANTS, ...BRIDGE_MUTANTS]
