import { ConfigurationError, loadResources } from '@causeway/mesh-api'
import { LimitError } from '@causeway/npamp'
import { SseParser } from '../../services/relay/backends/http/sse.ts'
import { FuzzFault, type Target } from './target.ts'

const text = (value: string) => new TextEncoder().encode(value)
const MAX_EVENT_OCTETS = 4_096

const RELAY = `apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: { name: home }
spec:
  identity: { algorithm: Ed25519, keyFile: home.key }
  listeners: { mcp: { host: 127.0.0.1, port: 8080 } }
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: { name: tools }
spec: { relayRefs: [{ name: home }], mcp: { url: "http://127.0.0.1:3001/mcp" } }
`

export const EDGE_TARGETS: readonly Target[] = [
  {
    name: 'event stream',
    samples: [text('id: 1\nevent: message\ndata: {"a":1}\r\ndata: x\n\n: comment\r\rretry: 5\n\n')],
    expects: LimitError,
    run(octets) {
      const parser = new SseParser({ maxEventOctets: MAX_EVENT_OCTETS })
      for (let at = 0; at < octets.length; at += 3) {
        parser.push(octets.subarray(at, at + 3))
        for (let event = parser.next(); event !== undefined; event = parser.next()) {
          if (event.data.length > MAX_EVENT_OCTETS) throw new FuzzFault('an event is larger than its limit')
        }
      }
    },
  },
  {
    name: 'configuration file',
    samples: [text(RELAY)],
    expects: ConfigurationError,
    run: (octets) => void loadResources([{ name: 'fuzz.yaml', octets }]),
  },
]
