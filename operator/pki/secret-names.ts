import { CA_SECRET_NAME } from '@causeway/mesh-api'

/** The successor of the authority, during a rotation only. */
export const NEXT_CA_SECRET_NAME = `${CA_SECRET_NAME}-next`
