import { Bridge } from './bridge/bridge.mjs'
import { checkHeaders, OptionError, readHeaders } from './header-option.mjs'
import { chooseProxy, ProxySettingError } from './http/proxy-choice.mjs'
import { Transport } from './http/transport.mjs'
import { readTlsFiles } from './tls-files.mjs'
import { VERSION } from './version.mjs'

/** @import { ConnectIo, ConnectOptions } from './contract.ts' */
/** @import { TransportOptions } from './http/transport.mjs' */

/** What a run ends with, as the exit code of a process. */
export const EXIT = {
  /** The host closed our input and has every answer, told us to stop, or went away. */
  ok: 0,
  /** The input ended and some requests had no answer within 30 s. */
  unanswered: 1,
  /** Wrong options, or a file that they name. */
  badInput: 2,
}

/**
 * Speaks MCP by lines with a host and by Streamable HTTP with the server at `url`, until the host is done. Nothing is
 * sent before the host speaks. Never rejects.
 *
 * @param {ConnectOptions} options
 * @param {ConnectIo} io
 * @returns {Promise<number>} one of EXIT
 */
export async function connect(options, io) {
  let settings
  try {
    settings = transportOptions(options)
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    io.log(error.message)
    return EXIT.badInput
  }
  const ending = await new Bridge(new Transport(settings), io).run()
  return ending === 'unanswered' ? EXIT.unanswered : EXIT.ok
}

/**
 * Finds what is wrong with options that are to be used later, in another environment: why `connect` would refuse them.
 *
 * @param {Omit<ConnectOptions, 'url' | 'env'>} options
 * @returns {string | undefined}
 */
export function problemOf({ headers, ...files }) {
  try {
    checkHeaders(headers)
    readTlsFiles(files)
    return undefined
  } catch (error) {
    if (error instanceof OptionError) return error.message
    throw error
  }
}

/** @param {ConnectOptions} options @returns {TransportOptions} */
function transportOptions({ url: text, headers, env, ...files }) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new OptionError(`${text} is not an http or https URL`)
  if (url.username !== '' || url.password !== '')
    throw new OptionError('the URL holds credentials, which everybody on this machine can see; use --header')
  url.hash = ''
  return {
    url,
    headers: { 'user-agent': `causeway-connect/${VERSION}`, ...readHeaders(headers, env) },
    tls: readTlsFiles(files),
    proxy: proxyFor(url, env),
  }
}

/** @param {URL} url @param {ConnectOptions['env']} env @returns {URL | undefined} */
function proxyFor(url, env) {
  try {
    return chooseProxy(url, env)
  } catch (error) {
    if (error instanceof ProxySettingError) throw new OptionError(error.message)
    throw error
  }
}
