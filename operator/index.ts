/** The operator, for who starts it in another way than `main.ts`. */
export { LIVES, type Lives } from './controllers/certificates/lives.ts'
export type { Installation } from './infra/relay-input.ts'
export { Operator, type OperatorOptions, type OperatorTiming } from './operator.ts'
/** How certificates of a mesh are made, for the command line, which makes them where there is no cluster. */
export { issueLeaf, type KeyPair, type LeafSubject, mintAuthority } from './pki/authority.ts'
