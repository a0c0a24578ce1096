import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { LimitsSchema, type McpListenerSchema, type Relay, RelaySchema } from '@causeway/rpc'
import type { McpListenerIr, RelayIdentityIr, RelayIr, RelayLimitsIr } from '../ir/relay.ts'
import { translateFile, translateKeyPair } from './file.ts'
import { given } from './given.ts'

export function translateRelay({ identity, replica, npamp, mcp, admin, limits, staleness }: RelayIr): Relay {
  return create(RelaySchema, {
    identity: identityOf(identity),
    replica: replica ?? '',
    ...given('npamp', npamp, ({ host, port, certificate }) => ({
      host,
      port,
      ...given('certificate', certificate, translateKeyPair),
    })),
    ...given('mcp', mcp, mcpListener),
    ...given('admin', admin, ({ host, port }) => ({ host, port })),
    limits: limitsOf(limits),
    staleness: {
      ...given('maxStalenessMs', staleness.maxStalenessMs, BigInt),
      denyUnlessReadOnly: staleness.denyUnlessReadOnly,
    },
  })
}

function identityOf({ key, successor }: RelayIdentityIr): MessageInitShape<typeof RelaySchema>['identity'] {
  return {
    ...given('key', key, translateFile),
    ...given('successor', successor, ({ key: nextKey, peerHandle, statement }) => ({
      key: translateFile(nextKey),
      peerHandle,
      statement: Uint8Array.from(statement),
    })),
  }
}

function mcpListener(listener: McpListenerIr): MessageInitShape<typeof McpListenerSchema> {
  const { host, port, certificate, clientCa, publicUrl, trustedProxies, allowedOrigins, allowedHosts } = listener
  return {
    host,
    port,
    ...given('certificate', certificate, translateKeyPair),
    ...given('clientCa', clientCa, translateFile),
    publicUrl: publicUrl ?? '',
    trustedProxies: [...trustedProxies],
    allowedOrigins: [...allowedOrigins],
    allowedHosts: [...allowedHosts],
  }
}

/** Their fields have the same names. */
function limitsOf(limits: RelayLimitsIr): MessageInitShape<typeof LimitsSchema> {
  const fields = Object.entries(limits).map(([name, value]) => [name, BigInt(value)])
  return create(LimitsSchema, Object.fromEntries(fields))
}
