import { setTimeout } from 'node:timers/promises'
import type { Entry } from '../fixtures/recorder/entries.ts'
import type { DemoClient } from './clients.ts'
import { type Pair, pairUp } from './evidence.ts'
import type { DemoMesh } from './mesh.ts'

/** One thing that a client did, how long it took, and what the recorders saw of it. */
export interface Step {
  /** `connect`, `tools/list`, or `tools/call NAME`. */
  readonly what: string
  readonly outcome: string
  readonly ms: number
  readonly texts: readonly Pair[]
}

export interface Conversation {
  readonly client: { readonly generation: DemoClient['generation']; readonly software: string }
  readonly server: { readonly generation: 'legacy' | 'modern'; readonly url: string }
  readonly revision: string
  readonly steps: readonly Step[]
}

interface Call {
  readonly tool: string
  readonly args: Record<string, unknown>
}

/** What is called on each server. */
const CALLS: Readonly<Record<'legacy' | 'modern', readonly Call[]>> = {
  legacy: [
    { tool: 'echo', args: { message: 'hello across the mesh' } },
    { tool: 'get-sum', args: { a: 19, b: 23 } },
    { tool: 'trigger-long-running-operation', args: { duration: 0.2, steps: 2 } },
  ],
  modern: [
    { tool: 'echo', args: { message: 'hello across the mesh' } },
    { tool: 'add', args: { a: 19, b: 23 } },
    { tool: 'progress', args: { steps: 3 } },
    { tool: 'fail', args: {} },
    { tool: 'big', args: {} },
  ],
}

/** Lets one client talk to one server through the mesh. Rejects when anything fails that should not. */
export async function converse(mesh: DemoMesh, client: DemoClient, server: 'legacy' | 'modern'): Promise<Conversation> {
  const steps: Step[] = []
  const step = async (what: string, act: () => Promise<string>) => steps.push(await observe(mesh, what, act))
  const url = mesh.urls[server]

  await step('connect', async () => {
    await client.connect(url)
    return `speaks ${client.revision()}`
  })
  await step('tools/list', async () => `${(await client.listTools()).length} tools`)
  for (const { tool, args } of CALLS[server]) {
    await step(`tools/call ${tool}`, async () => {
      const { text, isError, progress } = await client.callTool(tool, args)
      if (isError !== (tool === 'fail')) throw new Error(`${tool} answered: ${text}`)
      return `${isError ? 'the tool fails: ' : ''}${shortened(text)}${progress > 0 ? `, ${progress} steps told` : ''}`
    })
  }
  const { generation, software } = client
  const revision = client.revision()
  await client.close()
  return { client: { generation, software }, server: { generation: server, url }, revision, steps }
}

async function observe(mesh: DemoMesh, what: string, act: () => Promise<string>): Promise<Step> {
  await Promise.all([mesh.north.command('forget'), mesh.south.command('forget')])
  const begin = performance.now()
  const outcome = await act()
  const ms = performance.now() - begin
  return { what, outcome, ms, texts: await textsOf(mesh) }
}

/** The edge takes a notification before the server does, so what the southern recorder has may come a moment later. */
async function textsOf(mesh: DemoMesh): Promise<Pair[]> {
  for (let attempt = 0; ; attempt++) {
    const [north, south] = (await Promise.all([mesh.north.command('entries'), mesh.south.command('entries')])) as [
      Entry[],
      Entry[],
    ]
    const pairs = pairUp(north, south)
    if (pairs.every((pair) => pair.south !== undefined) || attempt === 40) return pairs
    await setTimeout(50)
  }
}

function shortened(text: string): string {
  return text.length <= 60 ? JSON.stringify(text) : `${text.length} characters`
}
