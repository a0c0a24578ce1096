import { describe, expect, it } from 'vitest'
import { clientOf } from '../../../../test/fixtures/edge/asked.ts'
import { edgeHarness, INITIALIZE, legacy, modern, modernHeaders } from '../../../../test/fixtures/edge/edge-harness.ts'
import type { ScriptedCall } from '../../../../test/fixtures/edge/scripted-target.ts'
import type { FactScope, ToolFacts } from '../../exchanges/tool-facts.ts'
import { isListChanged } from './fact-scope.ts'

interface Told {
  readonly what: string
  readonly scope: FactScope
}

function recorder(): ToolFacts & { readonly told: Told[] } {
  const told: Told[] = []
  return {
    told,
    effectOf: (_message, method, scope) => {
      told.push({ what: `effectOf ${method}`, scope })
      return method === 'tools/call' ? 1 : 0
    },
    listing: (request, scope) => (reply) =>
      told.push({ what: `listed ${request.method} ${Buffer.from(reply.octets).toString()}`, scope }),
    listChanged: (scope) => told.push({ what: 'listChanged', scope }),
    forgetTargets() {},
    forget: (scope) => told.push({ what: 'forget', scope }),
  }
}

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'

describe('what labels rest on', () => {
  it('is asked for each request, and told of the lists that passed, for the session or the principal', async () => {
    const facts = recorder()
    const { client, edge, target } = await edgeHarness({ facts })
    target.script = (call) => call.result('{"r":1}')
    const session = String((await client.post(INITIALIZE)).headers['mcp-session-id'])
    await client.post(legacy('tools/list'), { 'mcp-session-id': session })
    target.script = (call) => {
      call.notify(CHANGED)
      call.error('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}')
    }
    clientOf(target.calls[0] as ScriptedCall).notification(Buffer.from(CHANGED), () => {})
    await client.post(modern('tools/list'), modernHeaders('tools/list'))
    await client.post(modern('tools/call', { name: 'a' }), modernHeaders('tools/call', 'a'))
    client.close()
    await edge.stop(0)
    const inSession = `session:${target.calls[0]?.request.session?.id}`
    const outside = 'principal:anonymous'
    expect(facts.told.map(({ what, scope }) => [what, scope.context])).toEqual([
      ['effectOf initialize', inSession],
      ['effectOf tools/list', inSession],
      ['listed tools/list {"r":1}', inSession],
      ['listChanged', inSession],
      ['effectOf tools/list', outside],
      ['listChanged', outside],
      ['effectOf tools/call', outside],
      ['listChanged', outside],
      ['forget', inSession],
    ])
    expect(facts.told[0]?.scope).toMatchObject({ target: 'backend/default/scripted', trustAnnotations: true })
    expect(target.calls.map(({ request }) => request.effect)).toEqual([0, 0, 0, 1])
  })
})

describe('isListChanged', () => {
  it.each([
    [CHANGED, true],
    [CHANGED.replaceAll('/', '\\/'), true],
    [CHANGED.replace('tools', 'prompts'), false],
    ['{"jsonrpc":"2.0","method":"notifications/progress"}', false],
    [`{"jsonrpc":"2.0","method":"notifications/message","params":"${'x'.repeat(5_000)}list_changed"}`, false],
  ])('of %s is %s', (text, is) => {
    expect(isListChanged(Buffer.from(text))).toBe(is)
  })
})
