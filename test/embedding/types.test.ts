import type { McpTransport } from '@causeway/npamp/sdk'
import type { Transport as SecondClientTransport } from '@modelcontextprotocol/client'
import type { Transport as FirstTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Transport as SecondServerTransport } from '@modelcontextprotocol/server'
import { expectTypeOf, it } from 'vitest'

it('the transport of the embedding is a Transport of either SDK', () => {
  expectTypeOf<McpTransport>().toExtend<FirstTransport>()
  expectTypeOf<McpTransport>().toExtend<SecondClientTransport>()
  expectTypeOf<McpTransport>().toExtend<SecondServerTransport>()
})
