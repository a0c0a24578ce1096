import type { Command } from 'commander'
import type { ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import type { ObjectsSource } from '../objects/read-objects.ts'
import { withSourceOptions } from '../objects/source-options.ts'

export function addDescribeCommand(program: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  const describe = program
    .command('describe')
    .description('Show all that is known of one resource: its state, what relays say, what it uses and who uses it.')
    .argument(
      '<kind>',
      'relay, peer, backend, route ..., or any name that kubectl knows. Or KIND/NAME, KIND/NAMESPACE/NAME',
    )
    .argument('[name]', 'its name')
  withSourceOptions(describe).action(
    async (word: string, said: string | undefined, source: ObjectsSource, command: Command) => {
      const { wantedOf } = await import('../objects/kind-of.ts')
      const wanted = wantedOf(word, said)
      if ('refusal' in wanted) return command.error(`error: ${wanted.refusal}`)
      const { kind, name, namespace } = wanted
      if (name === undefined) return command.error(`error: which one? As in causeway describe ${word} NAME`)
      const { orSourceFailure } = await import('../objects/source-failure.ts')
      const { describe } = await import('./describe.ts')
      finish(
        await orSourceFailure(host, () =>
          describe({ ...source, ...(namespace === undefined ? {} : { namespace }), kind, name }, host, Date.now()),
        ),
      )
    },
  )
}
