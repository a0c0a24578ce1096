import type { PostQuantum } from './options.ts'

export const POST_QUANTUM_GROUP = 'X25519MLKEM768'

/** TLS key-exchange groups in order of preference; undefined leaves the runtime's own. */
export function groupsFor(postQuantum: PostQuantum = 'observe'): string | undefined {
  switch (postQuantum) {
    case 'observe':
      return undefined
    case 'prefer':
      return `${POST_QUANTUM_GROUP}:X25519:P-256:P-384`
    case 'require':
      return POST_QUANTUM_GROUP
  }
}
