import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { effect } from '../fields/effect.ts'
import { ATOMIC, SET } from '../fields/list-types.ts'
import { reference, relayRefs } from '../fields/reference.ts'
import type { Resource } from './kind.ts'

/** Digest 05 section 3.4: 0 is reserved. */
const protocolId = () => z.int().min(1).max(255)

const carriageClass = () => z.enum(['JSONRPC', 'HTTP', 'MSG', 'STREAM', 'DOC', 'OPAQUE'])

const contentTypes = () =>
  z
    .array(z.int().min(0).max(255))
    .max(64)
    .meta(SET)
    .optional()
    .describe('Values of content_type that are accepted. Absent: not said.')

const protocol = z
  .strictObject({
    protocolId: protocolId().describe('The protocol: 1 MCP, 2 A2A, 128 to 255 for private use.'),
    carriageClass: carriageClass().describe('How it is carried.'),
    channels: z
      .array(z.int().min(0).max(65_535))
      .min(1)
      .max(64)
      .meta(SET)
      .optional()
      .describe('The channels on which it is carried. Absent: 13, the Bridge channel.'),
    contentTypes: contentTypes(),
    methods: z
      .array(z.string().min(1).max(256).describe('A method.'))
      .min(1)
      .max(256)
      .meta(SET)
      .optional()
      .describe('Its methods. Absent: ask through the protocol itself.'),
  })
  .describe('A protocol that is carried here.')

const generic = z
  .strictObject({
    carriageClass: carriageClass().describe('The class.'),
    contentTypes: contentTypes(),
  })
  .describe('A way of carrying that is implemented for any protocol.')

const tool = z
  .strictObject({
    name: z.string().min(1).max(128).describe('The name by which it is called.'),
    protocolId: protocolId().describe('The protocol by which it is called: 1 is MCP.'),
    effect: effect().optional().describe('What it does, at the worst. Absent is not readOnly.'),
    schemaRef: z.string().min(1).max(1_024).optional().describe('Where its schema is, in the terms of its protocol.'),
  })
  .describe('A tool that can be called here.')

const agent = z
  .strictObject({
    agentId: z
      .string()
      .min(2)
      .max(128)
      .regex(/^([0-9a-f]{2}){1,64}$/, 'must be 1 to 64 octets in hexadecimal, such as 0a1b2c')
      .describe('Its name, 1 to 64 octets in hexadecimal.'),
    protocols: z
      .array(protocolId())
      .min(1)
      .max(64)
      .meta(SET)
      .describe('The protocols by which it is reached: 2 is A2A.'),
    tools: z
      .array(reference('a DiscoveryRecord of a tool, of the same relays'))
      .min(1)
      .max(256)
      .meta(ATOMIC)
      .optional()
      .describe('Its tools, each a record of its own.'),
  })
  .describe('An agent that can be reached here.')

export const discoveryRecordSpec = z
  .strictObject({
    relayRefs: relayRefs(),
    recordId: z
      .string()
      .min(2)
      .max(64)
      .regex(/^([0-9a-f]{2}){1,32}$/, 'must be 1 to 32 octets in hexadecimal, such as 0a1b2c')
      .optional()
      .describe('The identity of the record, 1 to 32 octets in hexadecimal. Default: made of namespace and name.'),
    label: z.string().min(1).max(256).optional().describe('For people; nothing is found by it.'),
    protocol: protocol.optional(),
    carriageClass: generic.optional(),
    tool: tool.optional(),
    agent: agent.optional(),
    visibility: z
      .enum(['Peers', 'AllPeers'])
      .default('Peers')
      .describe('Who may see it. Peers: those of peers. AllPeers: every peer of its relays.'),
    peers: z
      .array(reference('a MeshPeer'))
      .max(1_024)
      .meta(ATOMIC)
      .default([])
      .describe('With visibility Peers: who may see it. Empty: nobody.'),
    validity: duration().default('24h').describe('How long a signature of it is good for; it is signed again in time.'),
  })
  .describe('What peers learn of the relays: exactly one of protocol, carriageClass, tool and agent.')

export type DiscoveryRecordSpec = z.output<typeof discoveryRecordSpec>
export type DiscoveryRecord = Resource<'DiscoveryRecord', DiscoveryRecordSpec>
