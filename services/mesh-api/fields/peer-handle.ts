import { z } from 'zod'

/**
 * Digest 05 section 5: `b`, then 55 characters of lower-case base32 of `12 20` and a SHA-256. The fixed first octets make
 * every handle begin `bciq`, then `a` to `p`; 34 octets leave 3 unused bits in the last character, which are zero.
 */
export const peerHandle = () =>
  z
    .string()
    .max(56)
    .regex(
      /^bciq[a-p][a-z2-7]{50}[aiqy]$/,
      'must be a PeerHandle (see `causeway keys show`), such as bciqj6hzzzgs3tczvxwp4d2vjttmevivmqgfkh4mh7ujkzv2gt6gg75i',
    )
