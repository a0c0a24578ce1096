import { workloadLabels } from '@causeway/mesh-api'

/** The label of what the operator makes, and its value. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by'
export const MANAGER = workloadLabels('')[MANAGED_BY]
