/** A legacy session, step by step. */
export async function openSession(url: string) {
  const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
  const opened = await post(url, initialize)
  await opened.text()
  const headers = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  }
  let id = 0
  const inSession = (method: string, params: object = {}) =>
    post(url, JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }), headers)
  return {
    post: inSession,
    ask: async (method: string, params?: object) =>
      (JSON.parse(messageOf(await (await inSession(method, params)).text())) as { result: number }).result,
    delete: () => fetch(url, { method: 'DELETE', headers }),
  }
}

export function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return fetch(url, { method: 'POST', body, headers: { ...types, ...headers } })
}

/** The last message of a JSON or SSE body. */
function messageOf(body: string): string {
  const data = body.split('\n').filter((line) => line.startsWith('data: {'))
  return data.at(-1)?.slice('data: '.length) ?? body
}
