import { scanMessage } from '@causeway/npamp'
import { describe, expect, it } from 'vitest'
import { eraOf } from './era.ts'

function era(text: string, versionHeader?: string) {
  return eraOf(scanMessage(Buffer.from(text)), versionHeader)
}

function withMeta(method: string, claim: string, head = '"id":1,'): string {
  return `{"jsonrpc":"2.0",${head}"method":"${method}","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":${claim}}}}`
}

const PLAIN = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

describe('the era of a message', () => {
  it('is modern where the body claims a modern revision, whatever the header says', () => {
    const modern = { era: 'modern', revision: '2026-07-28' }
    expect(era(withMeta('tools/list', '"2026-07-28"'))).toEqual(modern)
    expect(era(withMeta('tools/list', '"2026-07-28"'), '2025-11-25')).toEqual(modern)
    expect(era(withMeta('tools/list', '"2099-01-01"'))).toEqual({ era: 'modern', revision: '2099-01-01' })
  })

  it('sees a claim through escapes', () => {
    const escaped = PLAIN.replace(
      '}',
      ',"params":{"\\u005fmeta":{"io.modelcontextprotocol\\/protocolVersion":"2026\\u002d07-28"}}}',
    )
    expect(era(escaped)).toEqual({ era: 'modern', revision: '2026-07-28' })
  })

  it('is legacy where the body claims a legacy revision', () => {
    expect(era(withMeta('tools/list', '"2025-11-25"'), '2026-07-28')).toEqual({ era: 'legacy' })
  })

  it.each(['5', 'null', '{}', '["2026-07-28"]'])('never falls back from the malformed claim %s', (claim) => {
    expect(era(withMeta('tools/list', claim))).toEqual({ era: 'modern' })
  })

  it('is legacy for initialize, unless the body claims a modern revision', () => {
    expect(era('{"jsonrpc":"2.0","id":1,"method":"initialize"}', '2026-07-28')).toEqual({ era: 'legacy' })
    expect(era(withMeta('initialize', '5'))).toEqual({ era: 'legacy' })
    expect(era(withMeta('initialize', '"2025-11-25"'))).toEqual({ era: 'legacy' })
    expect(era(withMeta('initialize', '"2026-07-28"'))).toEqual({ era: 'modern', revision: '2026-07-28' })
  })

  it('goes by the header where the body claims nothing', () => {
    expect(era(PLAIN)).toEqual({ era: 'legacy' })
    expect(era(PLAIN, '2025-06-18')).toEqual({ era: 'legacy' })
    const unclaimed = { era: 'modern', unclaimed: true }
    expect(era(PLAIN, '2026-07-28')).toEqual(unclaimed)
    expect(era('{"jsonrpc":"2.0","method":"notifications/cancelled"}', '2026-07-28')).toEqual(unclaimed)
  })

  it.each(['"x"', '[]', '{"_meta":5}', '{"_meta":{}}', '{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'])(
    'finds no claim in the params %s',
    (params) => {
      expect(era(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${params}}`)).toEqual({ era: 'legacy' })
    },
  )

  it('is legacy for a response, which only legacy clients send', () => {
    expect(era('{"jsonrpc":"2.0","id":1,"result":{}}', '2026-07-28')).toEqual({ era: 'legacy' })
  })
})
