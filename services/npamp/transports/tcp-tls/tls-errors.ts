import { AuthenticationError, ClosedError, IncompatibleError, LimitError, type NpampError } from '../../errors.ts'

/** What went wrong below N-PAMP, as one of the error families. `error` is what a socket or TLS emitted; TRANSPORT_LOST has it as its cause. */
export function transportError(error: Error & { code?: string }, where: string): NpampError {
  const code = error.code ?? ''
  const text = `${where}: ${code === '' ? error.message : code}`
  if (code.includes('NO_APPLICATION_PROTOCOL')) return new IncompatibleError('ALPN', `${text}: no common ALPN`)
  if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return new LimitError('HANDSHAKE_TIMEOUT', text)
  if (CERTIFICATE_ERROR.test(code)) return new AuthenticationError('IDENTITY_REFUSED', `${text}: ${error.message}`)
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return new IncompatibleError('TLS', text)
  const lost = new ClosedError('TRANSPORT_LOST', text)
  lost.cause = error
  return lost
}

/** Verification results of OpenSSL as Node names them, a signature that is wrong, a name that does not match. */
const CERTIFICATE_ERROR =
  /CERT|SELF_SIGNED|SIGNATURE|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CRL|INVALID_CA|INVALID_PURPOSE/

export function alpnRefused(negotiated: string | false | null, where: string): IncompatibleError {
  const what = typeof negotiated === 'string' && negotiated !== '' ? `ALPN ${JSON.stringify(negotiated)}` : 'no ALPN'
  return new IncompatibleError('ALPN', `${where}: the connection negotiated ${what}`)
}
