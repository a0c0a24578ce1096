import type { CryptoProvider } from '../provider.ts'

/** Native cryptography of Node 24. */
export declare function nodeProvider(): CryptoProvider
