import { type AgentOptions as HttpAgentOptions, Agent as PlainAgent } from 'node:http'
import { Agent } from 'node:https'

/**
 * Connections are kept: a handshake for every request would cost more than the request. The options of a request (ca,
 * cert, key) are part of the pool's key, so a rotated certificate gets connections of its own.
 */
const OPTIONS: HttpAgentOptions = {
  keepAlive: true,
  keepAliveMsecs: 30_000,
  maxFreeSockets: 4,
  scheduling: 'lifo',
}

/** An agent for the scheme of `url`. */
export function agentFor(url: URL): Agent | PlainAgent {
  return url.protocol === 'http:' ? new PlainAgent(OPTIONS) : new Agent(OPTIONS)
}
