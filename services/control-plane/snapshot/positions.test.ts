import { describe, expect, it } from 'vitest'
import { positionAt, SOURCE_ID } from '../../../test/fixtures/control-plane/objects.ts'
import { requirement } from '../../../test/requirements/requirement.ts'
import { olderKinds, Positions, positionsFor } from './positions.ts'

const OTHER = new Uint8Array(16)
const at = (value: number, source = SOURCE_ID) => new Map([['MeshRoute', positionAt(value, source)]])
const DIFFERENT = new Set(['MeshRoute'])
const NOTHING = new Set<string>()

/** Listed at 10, and what was told after that. */
function read(...steps: readonly (readonly [value: number, different: ReadonlySet<string>])[]): Positions {
  const positions = new Positions()
  positions.advance(at(10), DIFFERENT)
  for (const [value, different] of steps) positions.advance(at(value), different)
  return positions
}
const told = (positions: Positions, seen?: ReturnType<typeof at>) =>
  positionsFor(positions, seen ?? new Map()).get('MeshRoute')?.value

describe(`${requirement('CTL-008')} what an instance is told of positions`, () => {
  it('is where something was different last, however far was read since', () => {
    expect(told(read([20, DIFFERENT], [90, NOTHING]))).toBe(20n)
  })

  it('is not less than it has seen, where that has been read here too', () => {
    expect(told(read([90, NOTHING]), at(50))).toBe(50n)
    expect(told(read([90, NOTHING]), at(5))).toBe(10n)
    expect(told(read([90, NOTHING]), at(95)), 'it is older, and must be listed first').toBe(10n)
    expect(told(read([90, NOTHING]), at(50, OTHER))).toBe(10n)
  })

  it('so one that moves to a replica that has read less of the same is not taken to be ahead', () => {
    const [one, other] = [read([20, DIFFERENT], [90, NOTHING]), read([20, DIFFERENT], [30, NOTHING])]
    expect(olderKinds(other.read, positionsFor(one, new Map()))).toEqual([])
    const behind = read([15, DIFFERENT])
    expect(olderKinds(behind.read, positionsFor(one, new Map()))).toEqual(['MeshRoute'])
  })

  it('goes back with the source, and follows another', () => {
    expect(told(read([20, DIFFERENT], [7, NOTHING]))).toBe(7n)
    const positions = read([20, DIFFERENT])
    positions.advance(at(3, OTHER), NOTHING)
    expect(positions.changed.get('MeshRoute')).toEqual(positionAt(3, OTHER))
  })
})
