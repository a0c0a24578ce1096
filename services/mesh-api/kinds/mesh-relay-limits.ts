import { z } from 'zod'
import { duration } from '../fields/duration.ts'

const MIB = 1024 * 1024

/** `spec.limits` of a MeshRelay. */
export const limits = z
  .strictObject({
    maxBodyBytes: z
      .int()
      .min(1024)
      .max(16 * MIB - 65_536)
      .default(4 * MIB)
      .describe('The largest body of one northbound request, in octets; larger ones get 413.'),
    maxHeaderBytes: z
      .int()
      .min(1024)
      .max(MIB)
      .default(16_384)
      .describe('The most octets of HTTP headers in one northbound request or one answer of a backend.'),
    maxReplyBytes: z
      .int()
      .min(1024)
      .max(256 * MIB)
      .default(16 * MIB - 65_536)
      .describe('The largest single message of a backend, in octets. A peer may accept less (its maxFrameBytes).'),
    sessionsPerRoute: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(10_000)
      .describe('The most open legacy sessions of one route, and of one backend over all its callers.'),
    sessionsPerPrincipal: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(5_000)
      .describe(
        'The most open legacy sessions of one client, over all routes: by the subject of its certificate, and all clients ' +
          'without one together.',
      ),
    streamsPerSession: z
      .int()
      .min(1)
      .max(1_024)
      .default(16)
      .describe('The most streams that the client of one legacy session has open by GET; one more gets 503.'),
    eventStoreEvents: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(1_000)
      .describe('The most events of one legacy session that are kept for a client that resumes; the oldest go first.'),
    eventStoreBytes: z
      .int()
      .min(1_024)
      .max(1_024 * MIB)
      .default(MIB)
      .describe('The same in octets.'),
    eventStoreTotalBytes: z
      .int()
      .min(1_024)
      .max(65_536 * MIB)
      .default(64 * MIB)
      .describe('The most octets of events that are kept over all sessions.'),
    idleSession: duration().default('1h').describe('A legacy session without a request for this long ends.'),
    drain: duration().default('10s').describe('How long a stopping relay waits for open exchanges.'),
    halfOpenHandshakes: z
      .int()
      .min(1)
      .max(65_536)
      .default(256)
      .describe('The most connections at once whose handshake is not finished.'),
    halfOpenPerSource: z.int().min(1).max(65_536).default(16).describe('The same for one source address.'),
  })
  .prefault({})
  .describe('Bounds of this relay.')
