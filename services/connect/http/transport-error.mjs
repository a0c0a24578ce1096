/**
 * No HTTP response came of it. `delivery` says whether the server may have seen the request: `not_sent` until its first
 * octet could leave (CARRIAGE section 4).
 */
export class TransportError extends Error {
  /** @param {'not_sent' | 'unknown'} delivery @param {string} message what happened and what to do */
  constructor(delivery, message) {
    super(message)
    this.name = 'TransportError'
    this.delivery = delivery
  }
}

/**
 * What a person is told about a failure of Node's, for a request that had not left.
 *
 * @param {URL} url
 * @param {NodeJS.ErrnoException} error
 * @returns {string}
 */
export function notConnected(url, error) {
  const at = url.host
  if (isNoTls(error)) return `${at} does not speak TLS; try http://`
  switch (error.code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${at}; is the relay running?`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host name ${url.hostname} cannot be resolved; check the URL and the network`
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `the certificate of ${at} is not trusted (${error.code}); give the CA that signed it with --cacert FILE`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the certificate of ${at} is for another name; check the host in the URL`
    case 'CERT_HAS_EXPIRED':
      return `the certificate of ${at} has expired`
    default:
      return `no connection to ${at}: ${error.message || error.code || 'unknown reason'}`
  }
}

/**
 * Whether the server ended the connection because we showed no certificate; in TLS 1.3 that comes after the handshake.
 *
 * @param {NodeJS.ErrnoException} error
 * @returns {boolean}
 */
export function wantsCertificate({ code = '', message }) {
  return code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' || /alert certificate required/.test(message)
}

/**
 * Whether what came in answer to a TLS greeting is no TLS, such as the beginning of an HTTP response. Node gives the
 * reason in a code of its own or, for what it was writing, in the text of an EPROTO.
 *
 * @param {NodeJS.ErrnoException} error
 * @returns {boolean}
 */
export function isNoTls({ code = '', message }) {
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') return true
  return code === 'EPROTO' && /wrong version number|packet length too long/.test(message)
}
