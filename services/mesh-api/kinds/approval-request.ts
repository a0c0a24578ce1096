import { z } from 'zod'
import { effect } from '../fields/effect.ts'
import { objectName } from '../fields/names.ts'
import { peerHandle } from '../fields/peer-handle.ts'
import { reference, referenceShape } from '../fields/reference.ts'
import { instant } from '../fields/time.ts'
import type { Resource } from './kind.ts'

const request = z
  .strictObject({
    relayRef: reference('a MeshRelay').describe('The relay that holds the call.'),
    instance: objectName().describe('The instance that holds it, as its pod is called.'),
    callId: z
      .string()
      .min(36)
      .max(36)
      .regex(
        /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
        'must be a UUID, such as 0198c0de-0000-7000-8000-000000000001',
      )
      .describe('Which call; a decision is good for this one, once.'),
    principal: z.string().min(1).max(1_024).describe('Who calls.'),
    peerHandle: peerHandle().optional().describe('The peer that it comes from.'),
    protocol: z.enum(['mcp', 'a2a']).describe('The protocol.'),
    method: z.string().min(1).max(256).describe('The method.'),
    tool: z.string().min(1).max(128).optional().describe('The tool.'),
    effect: effect().describe('What the call does, at the worst.'),
    argumentsSHA256: z
      .string()
      .max(64)
      .regex(
        /^[0-9a-f]{64}$/,
        'must be a SHA-256 in hexadecimal, such as e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      )
      .describe('SHA-256 of the message that is held.'),
    summary: z.string().max(4_096).optional().describe('What the policy lets a person see of it.'),
    policy: z
      .strictObject({
        ...referenceShape('the SafetyPolicy that asks'),
        rule: z.string().min(1).max(63).describe('Its rule.'),
      })
      .describe('Which rule asks for a decision.'),
  })
  .describe('The call that waits. Written by the control plane, and never changed.')

export const approvalRequestSpec = z
  .strictObject({
    request,
    expiresAt: instant().describe('When the call is refused for want of a decision.'),
    decision: z.enum(['Approved', 'Denied']).optional().describe('What a person says. Once.'),
    decidedBy: z
      .string()
      .min(1)
      .max(1_024)
      .optional()
      .describe('Who says it: the user name by which the API server knows that person.'),
    reason: z.string().min(1).max(1_024).optional().describe('Why, for the record.'),
  })
  .describe('A call that waits for a person.')

export type ApprovalRequestSpec = z.output<typeof approvalRequestSpec>
export type ApprovalRequest = Resource<'ApprovalRequest', ApprovalRequestSpec>
