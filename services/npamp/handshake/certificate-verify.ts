import type { SignatureScheme } from '../codepoints/suites.ts'
import type { CryptoProvider, SigningKey } from '../crypto/provider.ts'
import { SIGNATURE_LAYOUT } from '../crypto/signature-layout.ts'
import { AuthenticationError, MalformedError } from '../errors.ts'
import { concatOctets } from '../wire/octets.ts'
import { utf8 } from '../wire/utf8.ts'

/** Who made a CertVerify or a Finished. */
export type Sender = 'client' | 'server'

const PADDING = new Uint8Array(64).fill(0x20)
const SEPARATOR = Uint8Array.of(0x00)
const SCHEME_OCTETS = 2

/** Constants that do not follow draft numbers (HS-041). Different per role, so a reflected signature fails (HS-045). */
const CONTEXT: Readonly<Record<Sender, string>> = {
  client: 'N-PAMP/2, client CertificateVerify',
  server: 'N-PAMP/2, server CertificateVerify',
}

/** `64 x 0x20 || context || 0x00 || TH` (HS-040): TH_sId of the server, TH_cId of the client (HS-042). */
export function certificateVerifyInput(sender: Sender, transcriptHash: Uint8Array): Uint8Array {
  return concatOctets([PADDING, utf8(CONTEXT[sender]), SEPARATOR, transcriptHash])
}

/** The CertVerify value: `u16 scheme || signature`, no inner length (HS-043). */
export function signCertificateVerify(identity: SigningKey, sender: Sender, transcriptHash: Uint8Array): Uint8Array {
  const scheme = Uint8Array.of(identity.scheme >>> 8, identity.scheme & 0xff)
  return concatOctets([scheme, identity.sign(certificateVerifyInput(sender, transcriptHash))])
}

export interface CertificateVerifyCheck {
  /** The peer's role, never our own. */
  readonly sender: Sender
  /** The negotiated scheme. */
  readonly scheme: SignatureScheme
  readonly publicKey: Uint8Array
  readonly transcriptHash: Uint8Array
  /** The received value. */
  readonly value: Uint8Array
}

/**
 * @throws MalformedError TLV_VALUE for a wrong length; AuthenticationError CERT_VERIFY when the scheme was not negotiated
 * (HS-044) or the signature does not verify.
 */
export function verifyCertificateVerify(provider: CryptoProvider, check: CertificateVerifyCheck): void {
  const { value } = check
  const wanted = SCHEME_OCTETS + SIGNATURE_LAYOUT[check.scheme].signatureOctets
  if (value.length < SCHEME_OCTETS) throw new MalformedError('TLV_VALUE', 'CertVerify begins with a u16 scheme')
  const scheme = ((value[0] as number) << 8) | (value[1] as number)
  if (scheme !== check.scheme) {
    throw new AuthenticationError(
      'CERT_VERIFY',
      `CertVerify uses scheme 0x${scheme.toString(16)}, not the negotiated one`,
    )
  }
  if (value.length !== wanted) {
    throw new MalformedError('TLV_VALUE', `CertVerify has ${value.length} octets, not ${wanted}`)
  }
  const input = certificateVerifyInput(check.sender, check.transcriptHash)
  if (!provider.verify(check.scheme, check.publicKey, input, value.subarray(SCHEME_OCTETS))) {
    throw new AuthenticationError('CERT_VERIFY', `the ${check.sender}'s signature does not verify`)
  }
}
