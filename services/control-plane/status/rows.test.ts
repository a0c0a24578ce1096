import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { InstanceStatusSchema, PeerStatusSchema } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { bootId } from '../../../test/fixtures/control-plane/instance.ts'
import type { ObjectState } from '../snapshot/object-state.ts'
import type { Concerned } from './concerned.ts'
import { rowsOf } from './rows.ts'

const VERSION = 'aa'

const state = (handles?: readonly string[]): ObjectState => ({
  uid: '',
  generation: 1,
  standing: { state: 'delivered' },
  placed: { resource: { versionHex: VERSION }, relays: [], handles } as unknown as NonNullable<ObjectState['placed']>,
  kept: [],
})

function anInstance(
  ordinal: number,
  status: MessageInitShape<typeof InstanceStatusSchema> = {},
  peer?: MessageInitShape<typeof PeerStatusSchema>,
): Concerned {
  return {
    instance: { namespace: 'default', relay: 'edge', ordinal, bootId: bootId(1), relayUid: '' },
    label: `causeway-edge-${ordinal}`,
    isConnected: true,
    acceptance: { versionHex: VERSION, refusal: undefined },
    status: create(InstanceStatusSchema, status),
    peer: peer && create(PeerStatusSchema, peer),
    backend: undefined,
  }
}

describe('of more instances than are listed', () => {
  const [before, after] = [Uint8Array.from({ length: 32 }, () => 1), Uint8Array.from({ length: 32 }, () => 2)]
  const bundlesOf = (lagging: (ordinal: number) => boolean) => {
    const all = Array.from({ length: 100 }, (_, ordinal) =>
      anInstance(ordinal, { trustBundleSha256: lagging(ordinal) ? before : after }),
    )
    const rows = rowsOf('MeshRelay', state(), all)
    expect(rows).toHaveLength(32)
    return new Set(rows.map(({ bundleSHA256 }) => bundleSHA256?.slice(0, 2)))
  }

  it('what any one of them says is among the rows, however few say it', () => {
    expect(bundlesOf((ordinal) => ordinal === 99)).toEqual(new Set(['01', '02']))
    expect(bundlesOf((ordinal) => ordinal !== 0)).toEqual(new Set(['01', '02']))
    expect(bundlesOf((ordinal) => ordinal < 50)).toEqual(new Set(['01', '02']))
  })
})

it('lists as many handles as the schema has room for, those of the configuration first', () => {
  const handles = Array.from({ length: 16 }, (_, index) => `configured-${index}`)
  const pinned = Array.from({ length: 16 }, (_, index) => `pinned-${index}`)
  const [row] = rowsOf('MeshPeer', state(handles), [anInstance(0, {}, { pinnedSuccessors: pinned })])
  expect(row?.handles).toEqual(handles)
})
