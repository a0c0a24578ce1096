/** The public entry of the protocol core: no Node module, no clock, no randomness of its own. */
export * from './association/contract.ts'
export * from './bridge/contract.ts'
export * from './codepoints/profiles.ts'
export * from './codepoints/suites.ts'
export * from './crypto/provider.ts'
export * from './errors.ts'
export type * from './transports/contract.ts'
