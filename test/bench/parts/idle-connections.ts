/**
 * Opens connections to itself over loopback and tells how much memory the process takes. `bare`: TLS sockets and nothing
 * else; `npamp`: an established association at each end, HELLO exchanged. Run with `--expose-gc`.
 */

import type { AddressInfo } from 'node:net'
import { createSecureContext, createServer, type TLSSocket, connect as tlsConnect } from 'node:tls'
import { AEAD, Association, PROFILE, PROTOCOL, SIGNATURE, type Transport } from '@causeway/npamp'
import { nodeProvider } from '@causeway/npamp/crypto/node'
import { clientContext, connect, dialTls, listenTls, systemClock } from '@causeway/npamp/transports'
import { mintCertificate } from '../../../services/npamp/transports/tcp-tls/certificate.ts'
import { serveParent } from '../../fixtures/process/child.ts'

/** Opens one more connection; resolves when both its ends are established and at rest. */
type OpenOne = () => Promise<void>

/** What is open, so that nothing of it is collected. */
const kept: unknown[] = []
const openOne = process.argv[2] === 'npamp' ? await npamp() : await bare()
let open = 0

serveParent(
  {},
  {
    async open(count) {
      while (open < Number(count)) {
        await openOne()
        open += 1
      }
      return residentOctets()
    },
  },
)

async function residentOctets(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc')
  for (let turn = 0; turn < 4; turn++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage.rss()
}

/**
 * With the certificate, the options and the shared context of the transport, and with as many octets carried in the same
 * turns: from its first write of more than 1 KiB on, node's TLS keeps buffers that no association has to answer for.
 */
async function bare(): Promise<OpenOne> {
  const [clientHello, serverFlight, clientFlight, serverHello] = [1279, 1377, 309, 115]
  const versions = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const
  const alpn = { ALPNProtocols: ['n-pamp/2'] }
  const server = createServer({ ...(await mintCertificate(new Date())), ...versions, ...alpn }, (socket) => {
    onTurns(socket, [clientHello, clientFlight], (turn) =>
      socket.write(octets(turn === 0 ? serverFlight : serverHello)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const secureContext = createSecureContext(versions)
  return () =>
    new Promise((resolve) => {
      const socket = tlsConnect({ host: '127.0.0.1', port, rejectUnauthorized: false, secureContext, ...alpn })
      socket.once('secureConnect', () => socket.write(octets(clientHello)))
      onTurns(socket, [serverFlight, serverHello], (turn) => {
        if (turn === 0) socket.write(octets(clientFlight))
        else resolve()
      })
    })
}

/** Calls back each time that the octets of the peer's next turn are there. */
function onTurns(socket: TLSSocket, turns: readonly number[], arrived: (turn: number) => void): void {
  let heard = 0
  let turn = 0
  kept.push(socket.on('error', () => {}))
  socket.on('data', (chunk) => {
    heard += chunk.length
    for (let due = turns[turn]; due !== undefined && heard >= due; due = turns[turn]) {
      heard -= due
      arrived(turn++)
    }
  })
}

function octets(length: number): Uint8Array {
  return new Uint8Array(length)
}

async function npamp(): Promise<OpenOne> {
  const clock = systemClock()
  const provider = nodeProvider()
  const signingKey = () => provider.signingKey(SIGNATURE.ED25519, provider.random(32))
  const common = { provider, policy: { mode: 'acceptAny', confirmed: true }, aeads: [AEAD.AES_256_GCM] } as const
  const client = { ...common, identity: signingKey(), profiles: [PROFILE.STANDARD] }
  const server = { ...common, identity: signingKey(), minimumProfile: PROFILE.STANDARD } as const
  const settings = { protocols: [PROTOCOL.MCP] }

  let acceptorReady = () => {}
  const hold = (association: Association, transport: Transport, onReady: () => void): void => {
    kept.push(
      connect(association, transport, clock, ({ type }) => {
        if (type === 'ready') onReady()
      }),
    )
  }
  const listener = await listenTls({
    host: '127.0.0.1',
    port: 0,
    tls: { mode: 'pinned' },
    onTransport(transport, settled) {
      hold(new Association({ role: 'responder', handshake: server, settings }, clock.now()), transport, () => {
        settled()
        acceptorReady()
      })
    },
    onRefused: (error) => {
      throw error
    },
  })
  const tls = { mode: 'pinned' } as const
  const context = clientContext(tls)
  return async () => {
    const accepted = new Promise<void>((resolve) => {
      acceptorReady = resolve
    })
    const transport = await dialTls({ ...listener.address, tls, context, timeoutMs: 10_000 })
    const dialled = new Promise<void>((resolve) => {
      hold(new Association({ role: 'initiator', handshake: client, settings }, clock.now()), transport, resolve)
    })
    await Promise.all([accepted, dialled])
  }
}
