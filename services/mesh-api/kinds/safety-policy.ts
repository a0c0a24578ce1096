import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { effect } from '../fields/effect.ts'
import { labelMap } from '../fields/labels.ts'
import { ATOMIC, ATOMIC_MAP, MAP_BY_NAME, SET } from '../fields/list-types.ts'
import { objectLabel, objectName, toolPattern } from '../fields/names.ts'
import { celText, jsonPointer, namePattern } from '../fields/texts.ts'
import type { Resource } from './kind.ts'

const targetKind = () => z.enum(['MeshRelay', 'MeshPeer', 'MeshBackend', 'MeshRoute'])

const patterns = (what: string) => z.array(namePattern()).min(1).max(64).meta(SET).optional().describe(what)

const match = z
  .strictObject({
    directions: z
      .array(z.enum(['inbound', 'outbound']))
      .min(1)
      .max(2)
      .meta(SET)
      .optional()
      .describe('inbound: calls that reach this relay from a peer. outbound: calls of its own clients.'),
    principals: patterns('Who calls; a * at the end stands for any rest.'),
    peers: patterns('Names of MeshPeers, or PeerHandles; a * at the end stands for any rest.'),
    protocols: z
      .array(z.enum(['mcp', 'a2a']))
      .min(1)
      .max(8)
      .meta(SET)
      .optional()
      .describe('The protocols.'),
    methods: patterns('Methods, such as tools/call; a * at the end stands for any rest.'),
    tools: z
      .array(toolPattern())
      .min(1)
      .max(256)
      .meta(SET)
      .optional()
      .describe('Names of tools; a * at the end stands for any rest.'),
    effects: z.array(effect()).min(1).max(4).meta(SET).optional().describe('What the call does, at the worst.'),
    toolDefinitions: z
      .array(
        z
          .string()
          .max(64)
          .regex(
            /^[0-9a-f]{64}$/,
            'must be a SHA-256 in hexadecimal, such as e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
          ),
      )
      .min(1)
      .max(256)
      .meta(SET)
      .optional()
      .describe("SHA-256 of tools' definitions, so that a tool that changed is another tool."),
    cel: celText().optional().describe('A CEL expression over the facts of the call.'),
  })
  .prefault({})
  .describe('What the rule is about: all that is said here must be so. Nothing said: every call.')

const rateLimit = z
  .strictObject({
    calls: z.int().min(1).max(1_000_000_000).describe('So many calls.'),
    per: duration().default('1m').describe('In this time.'),
    key: z
      .enum(['principal', 'peer', 'tool', 'all'])
      .default('principal')
      .describe('What is counted together: calls of one principal, peer or tool, or all.'),
  })
  .describe('With action rateLimit: more calls than this are refused.')

const approval = z
  .strictObject({
    expires: duration().default('10m').describe('How long a call waits for a decision.'),
    approvers: z
      .array(z.string().min(1).max(253).describe('The name of a group.'))
      .max(64)
      .meta(SET)
      .default([])
      .describe('Groups of people who may decide. Empty: whoever may write ApprovalRequests.'),
  })
  .describe('With action requireApproval: how a person is asked.')

const rule = z.strictObject({
  name: objectLabel().describe('What it is called in decisions and records.'),
  match,
  action: z
    .enum(['allow', 'deny', 'requireApproval', 'rateLimit', 'redact'])
    .describe('What happens to a call that matches. At one precedence deny wins over everything else.'),
  rateLimit: rateLimit.optional(),
  redact: z
    .array(jsonPointer())
    .min(1)
    .max(64)
    .meta(SET)
    .optional()
    .describe('With action redact: JSON Pointers of what is replaced by [redacted]; on terminating routes.'),
  approval: approval.optional(),
  message: z.string().min(1).max(1_024).optional().describe('What the caller is told of a refusal.'),
})

export const safetyPolicySpec = z
  .strictObject({
    targetRefs: z
      .array(
        z
          .strictObject({
            kind: targetKind().describe('The kind.'),
            name: objectName().describe('The name of an object in the namespace of the policy.'),
          })
          .meta(ATOMIC_MAP),
      )
      .min(1)
      .max(64)
      .meta(ATOMIC)
      .optional()
      .describe('The objects that the policy is for. Without targetRefs and selector: all of its namespace.'),
    selector: z
      .strictObject({
        kinds: z
          .array(targetKind())
          .min(1)
          .max(4)
          .meta(SET)
          .optional()
          .describe('Objects of these kinds. Absent: of all four.'),
        matchLabels: labelMap().describe('Labels that an object must have, all of them.'),
      })
      .optional()
      .describe('The objects that the policy is for, by their labels.'),
    precedence: z
      .int()
      .min(-1_000)
      .max(1_000)
      .default(0)
      .describe(
        'The higher decides first; at the same, the earlier by namespace and name. Policies of the namespace of the ' +
          'installation outrank all others, and bind every relay.',
      ),
    mode: z
      .enum(['enforce', 'audit'])
      .default('enforce')
      .describe('enforce: its decisions hold. audit: they are recorded, and nothing is refused.'),
    rules: z.array(rule).max(64).meta(MAP_BY_NAME).default([]).describe('The rules, in this order.'),
    effectOverrides: z
      .array(
        z.strictObject({
          name: objectLabel().describe('What it is called in records.'),
          tools: z.array(toolPattern()).min(1).max(256).meta(SET).describe('The tools.'),
          effect: effect().describe('What they do, whatever their annotations say.'),
        }),
      )
      .max(64)
      .meta(MAP_BY_NAME)
      .default([])
      .describe('What tools do, where their annotations are wrong or not to be trusted.'),
    capture: z
      .strictObject({
        arguments: z.boolean().default(false).describe('Whether arguments are stored with the record of a call.'),
        results: z.boolean().default(false).describe('Whether results are.'),
        redact: z
          .array(jsonPointer())
          .max(64)
          .meta(SET)
          .default([])
          .describe('JSON Pointers of values that are stored as [redacted].'),
      })
      .optional()
      .describe('What of a payload is recorded. Absent: nothing but its digest and size.'),
    defaultAction: z
      .enum(['allow', 'deny'])
      .default('deny')
      .describe('What happens to a call that no rule matches. What cannot be decided is always denied.'),
    refusalForm: z
      .enum(['error', 'toolResult'])
      .optional()
      .describe("How a call is refused: as an error of JSON-RPC, or as a tool's result. Default: the route's."),
  })
  .describe('What may be called, by whom, and what is recorded of it.')

export type SafetyPolicySpec = z.output<typeof safetyPolicySpec>
export type SafetyPolicy = Resource<'SafetyPolicy', SafetyPolicySpec>
