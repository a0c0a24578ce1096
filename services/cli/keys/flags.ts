import { type Command, InvalidArgumentError } from 'commander'
import type { ExitCode } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import type { ObjectsSource } from '../objects/read-objects.ts'
import { withSourceOptions } from '../objects/source-options.ts'
import { generateKey } from './generate.ts'
import { showKey } from './show.ts'

interface AnnounceFlags extends ObjectsSource {
  readonly relay?: string
  readonly validFor: string
  readonly out: string
}

interface AuthorityFlags {
  readonly out: string
  readonly trustDomain?: string
  readonly controlPlane: readonly string[]
  readonly relay: readonly string[]
  readonly validFor: string
}

export function addKeysCommands(program: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  const keys = program.command('keys').description('Identities: private keys, their PeerHandles, and certificates.')
  keys
    .command('generate')
    .description('Make an Ed25519 identity and print its PeerHandle. The file is for its owner only.')
    .option('--out <file>', 'where the private key goes, PKCS#8 PEM', 'identity.pem')
    .option('--force', 'replace a file that is there already')
    .option('--json', 'print JSON')
    .action(async ({ out, force, json }: { out: string; force?: true; json?: true }) =>
      finish(await generateKey({ out, force: force === true, json: json === true }, host)),
    )
  keys
    .command('show')
    .description('Print the PeerHandle of a private key. The key itself is never printed.')
    .argument('<file>', 'the private key, PKCS#8 PEM')
    .option('--json', 'print JSON')
    .action(async (file: string, { json }: { json?: true }) =>
      finish(await showKey({ file, json: json === true }, host)),
    )
  addAnnounceCommand(keys, host, finish)
  addAuthorityCommand(keys, host, finish)
}

function addAnnounceCommand(keys: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  const announcing = keys
    .command('announce')
    .description(
      'Write the statement, signed by both keys, that one key follows another: a file for peers of other ' +
        'implementations. Relays tell each other by themselves.',
    )
    .argument('[current]', 'the private key that signs today, PKCS#8 PEM')
    .argument('[next]', 'the private key that will')
    .option('--relay <name>', 'instead of two keys: the statement of this MeshRelay, which changes its key now')
    .option('--out <file>', 'where the statement goes, CBOR', 'successor.cbor')
    .option('--valid-for <duration>', 'how long it holds, as in 90m or 168h', '168h')
  withSourceOptions(announcing).action(
    async (current: string | undefined, next: string | undefined, flags: AnnounceFlags, command: Command) => {
      const { relay, validFor, out, ...source } = flags
      const validForMs = await durationOf(validFor)
      if (validForMs === undefined) return command.error(NO_DURATION)
      const files = current !== undefined && next !== undefined ? { current, next, validForMs } : undefined
      const from = relay === undefined ? files : current === undefined ? { ...source, relay } : undefined
      if (from === undefined)
        return command.error(
          'error: name the two keys, or a relay: causeway keys announce edge.key next.key, or --relay edge',
        )
      const { orSourceFailure } = await import('../objects/source-failure.ts')
      const { announce } = await import('./announce.ts')
      finish(await orSourceFailure(host, () => announce({ out, from }, host, Date.now())))
    },
  )
}

function addAuthorityCommand(keys: Command, host: CliHost, finish: (code: ExitCode) => void): void {
  keys
    .command('ca')
    .description(
      'Make the certificates with which relays and a control plane without a cluster know each other. Again in the same ' +
        'folder: the same authority issues them anew. On a cluster the operator does all of it.',
    )
    .requiredOption('--out <folder>', 'where they go; it keeps the key of the authority')
    .option('--trust-domain <name>', 'as the control plane is told (default: causeway.local)')
    .option('--control-plane <host>', 'a name by which relays reach the control plane; may be given again', collect, [])
    .option('--relay <namespace/name>', 'a relay; may be given again', collectRelays, [])
    .option('--valid-for <duration>', 'how long certificates hold, as in 24h', '2160h')
    .action(async (flags: AuthorityFlags, command: Command) => {
      const { out, controlPlane, relay, validFor } = flags
      if (controlPlane.length + relay.length === 0)
        return command.error('error: nothing to do: --control-plane, --relay')
      const lifeMs = await durationOf(validFor)
      if (lifeMs === undefined) return command.error(NO_DURATION)
      const { DEFAULT_TRUST_DOMAIN } = await import('@causeway/mesh-api')
      const { issueCertificates } = await import('./certificates.ts')
      const options = {
        folder: out,
        trustDomain: flags.trustDomain ?? DEFAULT_TRUST_DOMAIN,
        controlPlane,
        relays: relay,
      }
      finish(await issueCertificates({ ...options, lifeMs }, host, Date.now()))
    })
}

const NO_DURATION = 'error: --valid-for is as in 90m or 168h'

/** Undefined: it is none, or no time at all. What knows durations is loaded here: not every command waits for it. */
async function durationOf(text: string): Promise<number | undefined> {
  const { parseDuration } = await import('@causeway/mesh-api')
  return parseDuration(text) || undefined
}

/** Namespace and name become part of a path. */
const RELAY = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/

function collectRelays(value: string, before: readonly string[]): readonly string[] {
  if (!RELAY.test(value)) throw new InvalidArgumentError('It is as in default/edge.')
  return [...before, value]
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}
