/**
 * Every label of the key schedule, in one table. On the wire of HKDF-Expand-Label each is preceded by `LABEL_PREFIX`
 * (HS-035); a `tls13 ` prefix anywhere would be non-conformant.
 */
export const LABEL_PREFIX = 'n-pamp '

export const LABEL = {
  CLIENT_HANDSHAKE: 'c hs',
  SERVER_HANDSHAKE: 's hs',
  MASTER: 'master',
  TRAFFIC: 'traffic',
  KEY: 'key',
  IV: 'iv',
  FINISHED: 'finished',
  MASTER_RATCHET: 'master ratchet',
  MASTER_RATCHET_REKEM: 'master ratchet rekem',
} as const
