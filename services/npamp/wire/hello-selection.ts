import { HELLO_VERSION } from './hello.ts'

/**
 * protocol_ids usable in both directions, in the initiator's order, duplicates dropped (HELLO-015). Empty for disjoint
 * lists: nothing may be carried, the association stays up (HELLO-018).
 */
export function usableProtocols(initiator: readonly number[], responder: readonly number[]): readonly number[] {
  const offered = new Set(responder)
  return [...new Set(initiator)].filter((id) => offered.has(id))
}

/** What a responder puts into its HELLO: the echo of a version it supports, else its own highest (HELLO-019). */
export function answeredVersion(proposed: number): number {
  return supportsVersion(proposed) ? proposed : HELLO_VERSION
}

/** The version in force, the lower of both; undefined when one side lacks it: CLOSE (HELLO-020). */
export function commonVersion(sent: number, received: number): number | undefined {
  const version = Math.min(sent, received)
  return supportsVersion(version) ? version : undefined
}

function supportsVersion(version: number): boolean {
  return version === HELLO_VERSION
}
