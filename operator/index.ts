/** The operator. What others may use of it: how certificates of a mesh are made. */
export { issueLeaf, type KeyPair, type LeafSubject, mintAuthority } from './pki/authority.ts'
