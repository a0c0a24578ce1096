import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { OptionError } from './header-option.mjs'

/** @import { ConnectOptions } from './contract.ts' */

/**
 * What the options say of TLS, read from their files. Throws OptionError.
 *
 * @param {Pick<ConnectOptions, 'cacertFile' | 'certFile' | 'keyFile'>} options
 * @returns {{ ca?: string, cert?: string, key?: string }} PEM
 */
export function readTlsFiles({ cacertFile, certFile, keyFile }) {
  const ca = cacertFile === undefined ? {} : { ca: readCa(cacertFile) }
  if (certFile === undefined && keyFile === undefined) return ca
  if (certFile === undefined) throw new OptionError('--key needs --cert FILE, the certificate of this key')
  if (keyFile === undefined) throw new OptionError('--cert needs --key FILE, the key of this certificate')
  return { ...ca, ...readPair(certFile, keyFile) }
}

/** @param {string} file @returns {string} */
function readCa(file) {
  const pem = read('--cacert', file)
  try {
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new OptionError('no certificate')
    createSecureContext({ ca: pem })
  } catch {
    throw new OptionError(`--cacert ${file} holds no certificates in PEM form`)
  }
  return pem
}

/** @param {string} certFile @param {string} keyFile @returns {{ cert: string, key: string }} */
function readPair(certFile, keyFile) {
  const cert = read('--cert', certFile)
  const key = read('--key', keyFile)
  if (!isUsable({ cert })) throw new OptionError(`--cert ${certFile} holds no certificate in PEM form`)
  if (!isUsable({ key }))
    throw new OptionError(`--key ${keyFile} holds no private key in PEM form without a passphrase`)
  if (!isUsable({ cert, key })) throw new OptionError(`--key ${keyFile} is not the key of --cert ${certFile}`)
  return { cert, key }
}

/** @param {{ cert?: string, key?: string }} pem @returns {boolean} */
function isUsable(pem) {
  try {
    createSecureContext(pem)
    return true
  } catch {
    return false
  }
}

/** @param {string} option @param {string} file @returns {string} */
function read(option, file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OptionError(`${option} ${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}
