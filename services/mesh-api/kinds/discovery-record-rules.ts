import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'

export const recordRules: readonly Rule[] = [
  {
    id: 'ExactlyOneBody',
    message:
      'exactly one of protocol, carriageClass, tool and agent must be set, as in tool: {name: search, protocolId: 1}',
    fieldPath: 'spec',
    cel:
      '[has(self.protocol), has(self.carriageClass), has(self.tool), has(self.agent)]' +
      '.filter(one, one).size() == 1',
  },
  {
    id: 'PeersWithVisibility',
    message: 'peers belong to visibility Peers; with AllPeers every peer sees it',
    fieldPath: 'spec.peers',
    cel: "self.visibility == 'Peers' || self.peers.size() == 0",
  },
  durationWithin('spec.validity', '1m', '720h'),
]
