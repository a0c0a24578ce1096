import { type Command, Option } from 'commander'
import type { ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import type { ObjectsSource } from '../objects/read-objects.ts'
import { withSourceOptions } from '../objects/source-options.ts'

interface Flags extends ObjectsSource {
  readonly output: 'table' | 'json'
}

export function addGetCommand(program: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  const get = program
    .command('get')
    .description(
      'List the resources of a mesh: is each well, since when, and why not. kubectl get causeway shows more columns.',
    )
    .argument(
      '[kind]',
      'relays, peers, backends, routes ..., or any name that kubectl knows; all when left out. Or KIND/NAME',
    )
    .argument('[name]', 'only the one of this name')
    .addOption(
      new Option('-o, --output <form>', 'for people or for programs').choices(['table', 'json']).default('table'),
    )
  withSourceOptions(get).action(
    async (word: string | undefined, name: string | undefined, flags: Flags, command: Command) => {
      const { wantedOf } = await import('../objects/kind-of.ts')
      const wanted = word === undefined ? {} : wantedOf(word, name)
      if ('refusal' in wanted) return command.error(`error: ${wanted.refusal}`)
      const { orSourceFailure } = await import('../objects/source-failure.ts')
      const { get } = await import('./get.ts')
      const { output, ...source } = flags
      finish(
        await orSourceFailure(host, () => get({ ...source, ...wanted, json: output === 'json' }, host, Date.now())),
      )
    },
  )
}
