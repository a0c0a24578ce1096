import { type Command, Option } from 'commander'
import type { ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { CLIENTS, type Scope } from './clients.ts'
import type { Target } from './command.ts'

/** The commands `causeway client ...`. */

interface TargetFlags {
  readonly client: string
  readonly scope: Scope
  readonly force?: true
  readonly dryRun?: true
}

interface AddFlags extends TargetFlags {
  readonly stdio?: true
  readonly header: readonly string[]
  readonly cacert?: string
  readonly cert?: string
  readonly key?: string
}

export function addClientCommands(program: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  const commands = program.command('client').description('The MCP servers that clients have configured.')
  targetOptions(commands.command('add'))
    .description("Put a server into a client's configuration, and touch nothing else there. Prints the file.")
    .argument('<name>', 'what the client calls the server')
    .argument('<url>', 'of its MCP endpoint, such as http://127.0.0.1:8080/search/mcp')
    .option('--stdio', 'through causeway-connect, also where the client speaks HTTP itself')
    .option(
      '--header <header>',
      `for causeway-connect: "Name: value", \${VAR} from the environment; repeatable`,
      collect,
      [],
    )
    .option('--cacert <file>', 'for causeway-connect: PEM certificates that vouch for the server')
    .option('--cert <file>', 'for causeway-connect: PEM certificate that is shown to the server; needs --key')
    .option('--key <file>', 'for causeway-connect: PEM private key of that certificate')
    .action(async (name: string, url: string, { stdio, header, cacert, cert, key, ...flags }: AddFlags) => {
      const { addClient } = await import('./command.ts')
      const server = { url, stdio: stdio === true, headers: header, cacert, cert, key }
      finish(await addClient(targetFrom(name, flags), server, host))
    })
  targetOptions(commands.command('remove'))
    .description('Take a server out again; the file is then as it was. Prints the file.')
    .argument('<name>', 'what the client calls the server')
    .action(async (name: string, flags: TargetFlags) => {
      const { removeClient } = await import('./command.ts')
      finish(await removeClient(targetFrom(name, flags), host))
    })
  commands
    .command('list')
    .description('Show what is configured where, for you and in this folder.')
    .addOption(clientOption())
    .option('--json', 'print JSON')
    .action(async ({ client, json }: { client?: string; json?: true }) => {
      const { listClients } = await import('./list.ts')
      finish(
        await listClients(
          CLIENTS.find(({ name }) => name === client),
          json === true,
          host,
        ),
      )
    })
}

function targetOptions(command: Command): Command {
  return command
    .addOption(clientOption().makeOptionMandatory())
    .addOption(
      new Option('--scope <scope>', 'for you everywhere, or for whoever works in this folder')
        .choices(['user', 'project'])
        .default('user'),
    )
    .option('--force', 'also where the entry is not as this program wrote it')
    .option('--dry-run', 'print what would change, and change nothing')
}

function clientOption(): Option {
  return new Option('--client <client>', 'whose configuration').choices(CLIENTS.map(({ name }) => name))
}

function targetFrom(name: string, { client, scope, force, dryRun }: TargetFlags): Target {
  const chosen = CLIENTS.find((one) => one.name === client)
  if (chosen === undefined) throw new TypeError('the parser has let an unknown client pass')
  return { name, client: chosen, scope, force: force === true, dryRun: dryRun === true }
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}
