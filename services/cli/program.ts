import { LOG_LEVELS } from '@causeway/telemetry'
import { Command, CommanderError, Option } from 'commander'
import { addCheckCommand } from './check/flags.ts'
import { addClientCommands } from './client/flags.ts'
import { addConnectCommand } from './connect/flags.ts'
import { addDescribeCommand } from './describe/flags.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { addGetCommand } from './get/flags.ts'
import type { CliHost } from './host.ts'
import { addKeysCommands } from './keys/flags.ts'
import packageFile from './package.json' with { type: 'json' }
import { addPeerCommands } from './peer/flags.ts'
import { addUninstallCommand } from './uninstall/flags.ts'
import { MCP_JSON_PORT, parseAdmin, parsePort, sourceOf, type UpFlags } from './up/flags.ts'

/** Runs one command line, without the names of the program and its interpreter. Answers the exit code; never rejects. */
export async function runProgram(args: readonly string[], host: CliHost): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok
  const program = buildProgram(host, (result) => {
    code = result
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput
    host.writeError(`causeway: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    return EXIT.failed
  }
}

function buildProgram(host: CliHost, finish: (code: ExitCode) => void): Command {
  const program = new Command('causeway')
    .description('A post-quantum mesh for AI-agent traffic.')
    .version(packageFile.version)
    .exitOverride()
    .showHelpAfterError('(--help says what there is)')
    .configureOutput({ writeOut: (text) => host.writeOut(text), writeErr: (text) => host.writeError(text) })

  program
    .command('up')
    .description(
      'Start the relays that configuration files describe, or serve the servers of an mcpServers file, and run until ' +
        'told to stop.',
    )
    .argument('[file...]', 'multi-document YAML of mesh.causeway.dev/v1alpha1; all files are one configuration')
    .option('--relay <name>', 'start only this relay (name, or namespace/name)')
    .option(
      '--mcp-json <file>',
      'instead of configuration files: the mcpServers JSON of an MCP client; each server is served at ' +
        'http://127.0.0.1:PORT/NAME/mcp. Relative paths in it start from its folder; its programs get PATH, HOME and ' +
        'their like, and the variables of their own env',
    )
    .addOption(
      new Option(
        '--port <port>',
        `with --mcp-json: where to listen; 0: any free port (default: ${MCP_JSON_PORT})`,
      ).argParser(parsePort),
    )
    .addOption(
      new Option(
        '--admin <host:port>',
        'where the state of the mesh is answered, for get, describe and check --standalone; default: nowhere',
      ).argParser(parseAdmin),
    )
    .addOption(new Option('--log-level <level>', 'least level of log lines').choices(LOG_LEVELS).default('info'))
    .option('--json', 'report as JSON lines on standard output; logs are JSON on standard error anyway')
    .action(async (files: string[], { logLevel, json, admin, ...options }: UpFlags, command: Command) => {
      const source = sourceOf(files, options)
      if (typeof source === 'string') return command.error(`error: ${source}`)
      const { up } = await import('./up/up.ts')
      finish(await up({ source, admin, logLevel, json: json === true }, host))
    })

  addConnectCommand(program, host, finish)
  addClientCommands(program, host, finish)
  addGetCommand(program, host, finish)
  addDescribeCommand(program, host, finish)
  addCheckCommand(program, host, finish)
  addUninstallCommand(program, host, finish)

  addKeysCommands(program, host, finish)
  addPeerCommands(program, host, finish)
  return program
}
