import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { workloadLabels } from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../test/requirements/requirement.ts'
import { type RelayText, relayInput } from '../fixtures/relay-input.ts'
import type { JsonObject } from './manifest.ts'
import { podTemplate } from './pod-template.ts'
import { relayObjects } from './relay-objects.ts'

const FOLDER = join(import.meta.dirname, 'golden')
const cases = readdirSync(FOLDER).filter((name) => name.endsWith('.in.json'))

function read(name: string): RelayText {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as RelayText
}

/** What a person gets for a MeshRelay: `golden/*.out.json` for every `golden/*.in.json`. */
describe('the objects of a relay', () => {
  it.each(cases)(`${requirement('OPR-016')} %s`, async (name) => {
    const objects = relayObjects(relayInput(read(name)))
    await expect(`${JSON.stringify(objects, null, 2)}\n`).toMatchFileSnapshot(
      join(FOLDER, name.replace('.in.', '.out.')),
    )
  })

  it('each go with their relay, carry its labels, and have a name of their own kind', () => {
    const input = relayInput(read('everything.in.json'))
    const objects = relayObjects(input)
    for (const { metadata } of objects) {
      expect(metadata.namespace).toBe('shop')
      expect(metadata.labels).toEqual(workloadLabels('tools'))
      expect(metadata.ownerReferences).toEqual([
        expect.objectContaining({ kind: 'MeshRelay', uid: input.uid, controller: true }),
      ])
    }
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
  })
})

it('takes from the ConfigMap what is known by name, and nothing that somebody puts in beside it', () => {
  const objects = relayObjects(relayInput(read('everything.in.json')))
  const data = objects.find(({ kind }) => kind === 'ConfigMap')?.data as JsonObject
  const template = podTemplate(relayInput(read('everything.in.json'))).spec as JsonObject
  const [container = {}] = template.containers as JsonObject[]
  expect(container).not.toHaveProperty('envFrom')
  expect((container.env as JsonObject[]).map(({ name }) => name)).toEqual(Object.keys(data))
})

describe('overrides', () => {
  const own = { metadata: { name: 'tools', namespace: 'shop' }, spec: {} }

  it(`${requirement('OPR-016')} cannot touch the labels that the selector finds pods by`, () => {
    const labels = { 'app.kubernetes.io/name': 'other', 'mesh.causeway.dev/relay': 'other', mine: 'kept' }
    const template = podTemplate(relayInput({ ...own, spec: { workload: { labels } } }))
    expect((template.metadata as JsonObject).labels).toEqual({ mine: 'kept', ...workloadLabels('tools') })
  })

  it('cannot touch the annotation that replaces pods when their settings change', () => {
    const annotations = { 'mesh.causeway.dev/settings': 'never' }
    const template = podTemplate(relayInput({ ...own, spec: { workload: { annotations } } }))
    expect((template.metadata as JsonObject).annotations).not.toEqual(annotations)
  })

  it(`${requirement('OPR-016')} change nothing of security, command and mounts, whatever they are`, () => {
    const bare = podTemplate(relayInput(own)).spec as JsonObject
    const full = podTemplate(relayInput(read('everything.in.json'))).spec as JsonObject
    expect(full.securityContext).toEqual(bare.securityContext)
    expect([full.serviceAccountName, full.automountServiceAccountToken]).toEqual(['causeway-tools', false])
    const [container, plain] = [full, bare].map((spec) => (spec.containers as JsonObject[])[0]) as JsonObject[]
    for (const field of ['command', 'args', 'env', 'envFrom', 'securityContext'] as const)
      expect(container?.[field]).toEqual(plain?.[field])
  })
})
