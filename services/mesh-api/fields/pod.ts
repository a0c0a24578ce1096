import { z } from 'zod'
import { annotationMap, labelMap } from './labels.ts'
import { ATOMIC, MAP_BY_NAME } from './list-types.ts'
import { objectName } from './names.ts'
import { containerResources } from './quantity.ts'

/** Fields of whatever the operator runs as pods: where they run, and what they may use. */
export const podFields = () => ({
  labels: labelMap(32).default({}).describe('Labels of the pods, besides those of the operator.'),
  annotations: annotationMap().default({}).describe('Annotations of the pods.'),
  nodeSelector: labelMap().default({}).describe('Labels that a node must have.'),
  tolerations: z
    .array(toleration)
    .max(32)
    .meta(ATOMIC)
    .default([])
    .describe('Taints of nodes that do not keep the pods away.'),
  topologySpreadConstraints: z
    .array(spread)
    .max(8)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['topologyKey', 'whenUnsatisfiable'] })
    .default([])
    .describe('How the pods are spread over zones and nodes.'),
  resources: containerResources().describe('What the container asks for, and may not exceed.'),
  priorityClassName: objectName().optional().describe('The PriorityClass of the pods.'),
  imagePullSecrets: z
    .array(z.strictObject({ name: objectName().describe('The name of a Secret in the namespace of this object.') }))
    .max(8)
    .meta(MAP_BY_NAME)
    .default([])
    .describe('Secrets with which images are pulled.'),
})

/** The name of an image, as container engines read it. */
export const image = () =>
  z
    .string()
    .min(1)
    .max(512)
    .regex(
      /^[a-zA-Z0-9]([-._a-zA-Z0-9:/]*[a-zA-Z0-9])?(@sha256:[0-9a-f]{64})?$/,
      'must be the name of an image such as registry.example.com/name:1.2.3',
    )

const labelKey = () => z.string().min(1).max(317)

const toleration = z.strictObject({
  key: labelKey().optional().describe('The key of the taint. Absent, with operator Exists: every taint.'),
  // No default: another owner of the list, who leaves it out too, would be in conflict with the one that was stored.
  operator: z
    .enum(['Equal', 'Exists'])
    .optional()
    .describe('Equal: value must be that of the taint. Exists: any. Default: Equal.'),
  value: z.string().max(63).optional().describe('With Equal: the value of the taint.'),
  effect: z
    .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
    .optional()
    .describe('The effect of the taint. Absent: any.'),
  tolerationSeconds: z
    .int()
    .min(0)
    .max(31_536_000)
    .optional()
    .describe('With NoExecute: how long a pod stays. Absent: for ever.'),
})

const spread = z.strictObject({
  topologyKey: labelKey().describe('A label of nodes, such as topology.kubernetes.io/zone or kubernetes.io/hostname.'),
  maxSkew: z.int().min(1).max(1_000).default(1).describe('The most pods that one place may have beyond another.'),
  whenUnsatisfiable: z
    .enum(['DoNotSchedule', 'ScheduleAnyway'])
    .default('ScheduleAnyway')
    .describe('What happens to a pod that would exceed it.'),
})
