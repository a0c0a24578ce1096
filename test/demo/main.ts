/**
 * `npm run demo`: unmodified MCP clients of both generations call tools of unmodified MCP servers of both generations through
 * two relays that speak N-PAMP to each other over TLS, and two recorders outside the relays say whether an octet changed.
 *
 *   --json   prints the findings as one JSON object instead of the story
 *   --keep   leaves everything running, with the URLs to try, until Ctrl-C
 *
 * Exit code 0: all went well, or Ctrl-C; 1: something failed or differed; 2: an option that there is not.
 */
import { readOptions } from '../tools/options.ts'
import { type Conversation, converse } from './calls.ts'
import { type DemoClient, legacyClient, modernClient } from './clients.ts'
import { type DemoMesh, startMesh } from './mesh.ts'
import { findingsOf, type Link, linkOf, tellBeginning, tellConversation, tellEnd, tellKept } from './story.ts'

const options = readOptions(
  { json: { type: 'boolean' }, keep: { type: 'boolean' } },
  'npm run [--silent] demo [-- [--json] [--keep]]',
)
const tell = (text: string) => {
  if (!options.json) process.stdout.write(text)
}

const cleanUps: (() => unknown)[] = []
let stopping: Promise<void> | undefined

/** The newest piece first, so that nothing loses what it stands on while it still works. */
function stopAll(): Promise<void> {
  stopping ??= (async () => {
    while (cleanUps.length > 0) await cleanUps.pop()?.()
  })()
  return stopping
}

/** Nothing is left behind: a piece that comes too late is stopped at once, and nothing is started after it. */
function onStop(cleanUp: () => unknown): void {
  if (stopping === undefined) {
    cleanUps.push(cleanUp)
    return
  }
  void cleanUp()
  throw new Error('stopping')
}

const interrupted = new Promise<'interrupted'>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve('interrupted'))
})

const demo = run().catch((error: unknown) => {
  // What breaks because everything is being stopped is no failure of the demo's.
  if (stopping === undefined) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  return false
})
const result = await Promise.race([demo, interrupted])
await stopAll()
process.exit(result === false ? 1 : 0)

async function run(): Promise<boolean> {
  const mesh = await startMesh(onStop)
  const link = await linkBetween(mesh)
  tell(tellBeginning(mesh, link))

  const conversations: Conversation[] = []
  for (const makeClient of [legacyClient, modernClient]) {
    for (const server of ['legacy', 'modern'] as const) {
      const conversation = await converse(mesh, remembered(makeClient()), server)
      tell(tellConversation(conversation))
      conversations.push(conversation)
    }
  }
  const findings = findingsOf(mesh, link, conversations)
  tell(tellEnd(findings))
  if (options.json) process.stdout.write(`${JSON.stringify({ ...findings, urls: mesh.urls }, undefined, 2)}\n`)
  if (options.keep) {
    tell(tellKept(mesh))
    await interrupted
  }
  return findings.ok
}

async function linkBetween(mesh: DemoMesh): Promise<Link> {
  const established = 'association established'
  const [seenByEdge, seenByTools] = await Promise.all([mesh.edge.logged(established), mesh.tools.logged(established)])
  return linkOf(mesh, seenByEdge, seenByTools)
}

/** A client that is closed on the way out, whatever happens to its conversation. */
function remembered(client: DemoClient): DemoClient {
  onStop(() => client.close())
  return client
}
