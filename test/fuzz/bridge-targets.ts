import {
  BRIDGE_FRAME,
  decodePayload,
  encodePayload,
  idKey,
  MESSAGE_KIND,
  NpampError,
  readMessage,
  sameId,
  scanMessage,
} from '@causeway/npamp'
import { ANNOUNCED_TLV_TYPES } from '../../services/npamp/bridge/extensions/announced.ts'
import { decodeAuditHead, encodeAuditHead } from '../../services/npamp/bridge/extensions/audit-head.ts'
import { decodeDeliveryOutcome } from '../../services/npamp/bridge/extensions/delivery-outcome.ts'
import {
  decodeRelatedExchange,
  encodeRelatedExchange,
} from '../../services/npamp/bridge/extensions/related-exchange.ts'
import { decodeRouteContext, encodeRouteContext } from '../../services/npamp/bridge/extensions/route-context.ts'
import {
  decodeServiceParameters,
  encodeServiceParameters,
} from '../../services/npamp/bridge/extensions/service-parameters.ts'
import { decodeTraceContext, encodeTraceContext } from '../../services/npamp/bridge/extensions/trace-context.ts'
import { decodeTransportError, encodeTransportError } from '../../services/npamp/bridge/transport-error.ts'
import { FuzzFault, mustEqual, type Target } from './target.ts'

const text = (value: string) => new TextEncoder().encode(value)
const KNOWN = new Set(ANNOUNCED_TLV_TYPES)
const REQUEST_TEXT = text(
  '{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"a\\u00e9","x":[1e2,-0,null]}}',
)
const ENVELOPE = { protocolId: 1, contentType: 1, flags: 0, correlationId: text('1.0'), method: 'tools/call' }
const REQUEST = Buffer.concat(
  encodePayload(
    {
      envelope: { ...ENVELOPE, kind: MESSAGE_KIND.REQUEST },
      label: { effect: 3, scope: 'a' },
      extensions: new Map([[0x4355, encodeRouteContext({ target: 'tools', session: new Uint8Array(16) })]]),
      foreign: REQUEST_TEXT,
    },
    KNOWN,
  ),
)

export const BRIDGE_TARGETS: readonly Target[] = [
  {
    name: 'bridge payload',
    samples: [REQUEST],
    run(octets) {
      for (const type of Object.values(BRIDGE_FRAME)) {
        try {
          decodePayload(octets, type, KNOWN)
        } catch (error) {
          if (!(error instanceof NpampError)) throw error
        }
      }
    },
  },
  {
    name: 'service parameters',
    samples: [
      encodeServiceParameters(
        new Map([
          ['mcp-name', 'a'],
          ['retry-after', '3'],
        ]),
      ),
    ],
    run: (octets) => mustEqual(encodeServiceParameters(decodeServiceParameters(octets)), octets, 'service parameters'),
  },
  {
    name: 'route context',
    samples: [encodeRouteContext({ target: 'tools', session: undefined })],
    run: (octets) => void decodeRouteContext(octets),
  },
  {
    name: 'related exchange',
    samples: [encodeRelatedExchange({ originator: 0, correlationId: text('7') })],
    run: (octets) => mustEqual(encodeRelatedExchange(decodeRelatedExchange(octets)), octets, 'related exchange'),
  },
  { name: 'delivery outcome', samples: [new Uint8Array([1, 0])], run: (octets) => void decodeDeliveryOutcome(octets) },
  {
    name: 'trace context',
    samples: [
      encodeTraceContext({ traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'a=b' }),
    ],
    run: (octets) => void decodeTraceContext(octets),
  },
  {
    name: 'audit head',
    samples: [
      encodeAuditHead({
        chainId: new Uint8Array(16),
        sequence: 5n,
        head: new Uint8Array(32),
        publicKey: new Uint8Array(32),
        signature: new Uint8Array(64),
      }),
    ],
    run: (octets) => void decodeAuditHead(octets),
  },
  {
    name: 'transport error',
    samples: [encodeTransportError({ code: 4, message: 'gone' })],
    run(octets) {
      const failure = decodeTransportError(octets)
      if (failure !== undefined && octets.length !== 2 + (octets[1] ?? 0)) throw new FuzzFault('length rule broken')
    },
  },
  {
    name: 'JSON-RPC message',
    samples: [REQUEST_TEXT, text('{"jsonrpc":"2.0","id":"a","result":{}}'), text('[{"jsonrpc":"2.0","method":"x"}]')],
    run(octets) {
      readMessage(octets)
      const message = scanMessage(octets)
      // Whatever the scanner accepts is JSON to everybody else too.
      JSON.parse(new TextDecoder().decode(message.text))
      if (message.idToken !== undefined && !sameId(message.idToken, message.idToken))
        throw new FuzzFault(idKey(message.idToken))
    },
  },
]
