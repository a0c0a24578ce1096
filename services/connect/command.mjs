import { parseArgs } from 'node:util'
import { EXIT } from './connect.mjs'
import { runHere } from './process.mjs'
import { VERSION } from './version.mjs'

/** The command `causeway-connect`. */

const USAGE = `Usage: causeway-connect [options] URL

Speaks MCP on standard input and output, as a desktop host wants it of a server, for the MCP server at URL
(Streamable HTTP; a Causeway edge or any other).

Options:
  --header "Name: value"  sent with every request; may be repeated. \${VAR} in the value stands for the variable VAR
                          of the environment, so that no secret stands in a configuration file
  --cacert FILE           PEM certificates that vouch for the server, in place of the system's
  --cert FILE             PEM certificate that is shown to a server which wants one of its clients; needs --key
  --key FILE              PEM private key of that certificate
  --version               print the version
  --help                  print this

HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured. Ends with 0 when the host is done, 1 when requests were left without
an answer, 2 when an option is wrong.
`

process.exit(await main())

/** @returns {Promise<number>} */
async function main() {
  let parsed
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        header: { type: 'string', multiple: true, default: [] },
        cacert: { type: 'string' },
        cert: { type: 'string' },
        key: { type: 'string' },
        version: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
  const { values, positionals } = parsed
  if (values.help) return print(USAGE)
  if (values.version) return print(`${VERSION}\n`)
  const [url, ...more] = positionals
  if (url === undefined) return refuse('the URL is missing')
  if (more.length > 0) return refuse('there is more than one URL')
  const files = { cacertFile: values.cacert, certFile: values.cert, keyFile: values.key }
  const code = await runHere({ url, headers: values.header, ...files }, 'causeway-connect')
  await flushed()
  return code
}

/** @param {string} why @returns {Promise<number>} */
async function refuse(why) {
  process.stderr.write(`causeway-connect: ${why}\n\n${USAGE}`)
  return EXIT.badInput
}

/** @param {string} text @returns {Promise<number>} */
async function print(text) {
  process.stdout.write(text)
  await flushed()
  return EXIT.ok
}

/** `process.exit` does not wait for pipes. @returns {Promise<void>} */
function flushed() {
  return new Promise((resolve) => {
    if (process.stdout.destroyed || process.stdout.writableEnded) resolve()
    else process.stdout.write('', () => resolve())
  })
}
