import type { Command } from 'commander'
import type { ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'

/** The command `causeway connect`, which is `causeway-connect`. */
export function addConnectCommand(program: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  program
    .command('connect')
    .description(
      'Speak MCP on standard input and output, as a desktop host wants it of a server, for the MCP server at a URL ' +
        '(Streamable HTTP). HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured.',
    )
    .argument('<url>', 'of the MCP endpoint')
    .option('--header <header>', `"Name: value", \${VAR} from the environment; repeatable`, collect, [])
    .option('--cacert <file>', "PEM certificates that vouch for the server, in place of the system's")
    .option('--cert <file>', 'PEM certificate that is shown to a server which wants one of its clients; needs --key')
    .option('--key <file>', 'PEM private key of that certificate')
    .action(async (url: string, { header, cacert, cert, key }: ConnectFlags) => {
      const files = { cacertFile: cacert, certFile: cert, keyFile: key }
      finish((await host.connect({ url, headers: header, ...files })) as ExitCode)
    })
}

interface ConnectFlags {
  readonly header: readonly string[]
  readonly cacert?: string
  readonly cert?: string
  readonly key?: string
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}
