/** As in package.json, which a compiled tree need not have beside it. */
export const VERSION = '0.1.0'
