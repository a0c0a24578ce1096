import type { Client } from '@modelcontextprotocol/client'

/** What a client does in one scenario; `context` is what the suite told it besides the URL. */
export type ClientScript = (client: Client, context: unknown) => Promise<unknown>

/** @throws Error for a scenario that there is no script for. */
export function scriptOf(scenario: string): ClientScript {
  const script = SCRIPTS[scenario]
  if (script === undefined) throw new Error(`no script for scenario ${scenario}`)
  return script
}

const listTools: ClientScript = (client) => client.listTools()

const call =
  (name: string, args: Record<string, unknown> = {}): ClientScript =>
  (client) =>
    client.callTool({ name, arguments: args })

const inOrder =
  (...scripts: ClientScript[]): ClientScript =>
  async (client, context) => {
    for (const script of scripts) await script(client, context)
  }

const SCRIPTS: Readonly<Record<string, ClientScript>> = {
  initialize: listTools,
  tools_call: inOrder(listTools, call('add_numbers', { a: 5, b: 3 })),
  'elicitation-sep1034-client-defaults': call('test_client_elicitation_defaults'),
  'sse-retry': call('test_reconnection'),
  'request-metadata': listTools,
  'sep-2322-client-request-state': inOrder(
    call('test_mrtr_echo_state'),
    call('test_mrtr_unrelated'),
    call('test_mrtr_no_state'),
    // The SDK refuses a result without its type, which this server leaves out; what counts is that it does not ask again.
    (client, context) => call('test_mrtr_no_result_type')(client, context).catch(() => {}),
  ),
  'http-standard-headers': inOrder(
    listTools,
    call('test_headers'),
    call('my-hyphenated-tool'),
    (client) => client.listResources(),
    (client) => client.readResource({ uri: 'file:///path/to/file%20name.txt' }),
    (client) => client.listPrompts(),
    (client) => client.getPrompt({ name: 'test_prompt' }),
  ),
  'http-custom-headers': async (client, context) => {
    await client.listTools()
    const { toolCalls } = context as { toolCalls: { name: string; arguments: Record<string, unknown> }[] }
    for (const toolCall of toolCalls) await client.callTool(toolCall)
  },
  // A client must not see the tools whose headers are invalid; it calls every one that it sees.
  'http-invalid-tool-headers': async (client) => {
    for (const { name } of (await client.listTools()).tools)
      await client.callTool({ name, arguments: { region: 'eu' } })
  },
  'json-schema-ref-no-deref': listTools,
  'json-schema-2020-12-preservation': async (client) => {
    const { tools } = await client.listTools()
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema
    await client.callTool({ name: 'json_schema_echo', arguments: { schema } })
  },
}
