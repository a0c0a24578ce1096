/** Which proxy the environment names for a URL, by the rules that curl and Go share. */

/** The environment names a proxy that cannot be used. */
export class ProxySettingError extends Error {}

/**
 * `HTTPS_PROXY` or `HTTP_PROXY`, whichever fits the scheme, unless `NO_PROXY` excepts the host. A loopback host is never
 * reached through a proxy: it would be the proxy's own. Throws ProxySettingError.
 *
 * @param {URL} url
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {URL | undefined} undefined: connect directly
 */
export function chooseProxy(url, env) {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const setting = env[name.toLowerCase()] || env[name]
  if (setting === undefined || setting === '') return undefined
  if (isLoopback(url.hostname) || isExcepted(url, env.no_proxy || env.NO_PROXY || '')) return undefined
  const proxy = parsed(setting.includes('://') ? setting : `http://${setting}`)
  if (proxy === undefined || (proxy.protocol !== 'http:' && proxy.protocol !== 'https:'))
    throw new ProxySettingError(`${name} is not the URL of an HTTP proxy`)
  return proxy
}

/** @param {string} text @returns {URL | undefined} */
function parsed(text) {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** @param {string} hostname @returns {boolean} */
function isLoopback(hostname) {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/**
 * Entries are separated by commas or blanks: `*`, a host, a domain (with or without a leading dot, its subdomains too),
 * each with an optional port.
 *
 * @param {URL} url
 * @param {string} noProxy
 * @returns {boolean}
 */
function isExcepted(url, noProxy) {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const { 1: host = '', 2: onlyPort } = /^(\[[^\]]*\]|.*?)(?::(\d+))?$/.exec(bracketed(entry)) ?? []
      if (onlyPort !== undefined && onlyPort !== port) return false
      const domain = host.replace(/^\*?\./, '')
      return domain !== '' && (url.hostname === domain || url.hostname.endsWith(`.${domain}`))
    })
}

/** A bare IPv6 address as a URL writes it. @param {string} entry @returns {string} */
function bracketed(entry) {
  return /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/.test(entry) ? `[${entry}]` : entry
}
