import { describe, expect, it } from 'vitest'
import { wantedOf } from './kind-of.ts'

describe('a resource is named', () => {
  it.each([
    [['relays'], { kind: 'MeshRelay' }],
    [['relay', 'edge'], { kind: 'MeshRelay', name: 'edge' }],
    [['relay/edge'], { kind: 'MeshRelay', name: 'edge' }],
    [['MeshRelay/shop/edge'], { kind: 'MeshRelay', namespace: 'shop', name: 'edge' }],
  ] as const)('as %j', (words, wanted) => {
    expect(wantedOf(...(words as readonly [string, string?]))).toEqual(wanted)
  })

  it.each([
    [['relay/edge', 'far'], /relay\/edge is not KIND, KIND\/NAME or KIND\/NAMESPACE\/NAME/],
    [['relay/'], /is not KIND/],
    [['relay/a/b/c'], /is not KIND/],
    [['rely/edge'], /there is no kind rely; is relay meant\? The kinds: meshrelays, /],
    [['xyzzy'], /there is no kind xyzzy; the kinds: meshrelays, /],
  ] as const)('and not as %j', (words, refusal) => {
    expect(wantedOf(...(words as readonly [string, string?]))).toMatchObject({
      refusal: expect.stringMatching(refusal),
    })
  })
})
