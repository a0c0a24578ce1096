/** The chart's names for its Deployments, and their label `app.kubernetes.io/name`. */
export const OPERATOR_NAME = 'causeway-operator'
export const CONTROL_PLANE_NAME = 'causeway-control-plane'
