import type { KubeObject } from '@causeway/kube'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../../test/requirements/requirement.ts'
import { foreignFields, removal } from './foreign-fields.ts'

const OURS = {
  'f:spec': {
    'f:replicas': {},
    'f:template': {
      'f:metadata': { 'f:annotations': { 'f:ours': {} } },
      'f:spec': {
        'f:containers': { 'k:{"name":"relay"}': { '.': {}, 'f:image': {}, 'f:name': {} } },
        'f:tolerations': {},
      },
    },
  },
}

function statefulSet(theirs: object, template: object, entry: object = {}): KubeObject {
  return {
    metadata: {
      name: 'causeway-edge',
      resourceVersion: '7',
      managedFields: [
        { manager: 'causeway-operator', operation: 'Apply', fieldsV1: OURS },
        { manager: 'somebody', operation: 'Update', fieldsV1: { 'f:spec': { 'f:template': theirs } }, ...entry },
      ],
    },
    spec: { template },
  } as KubeObject
}

const pointers = (object: KubeObject) =>
  foreignFields(object, ['spec', 'template'], 'causeway-operator').map(({ pointer }) => pointer)

describe('fields of others in the pod template', () => {
  it(`${requirement('OPR-015')} are found by their paths, whole branches at once`, () => {
    const theirs = {
      'f:metadata': { 'f:annotations': { 'f:ours': {}, 'f:example.com/x': {} } },
      'f:spec': { 'f:affinity': { 'f:nodeAffinity': {} }, 'f:hostNetwork': {} },
    }
    const object = statefulSet(theirs, {
      metadata: { annotations: { ours: '1', 'example.com/x': '2' } },
      spec: { affinity: { nodeAffinity: {} }, hostNetwork: true },
    })
    expect(pointers(object)).toEqual([
      '/spec/template/metadata/annotations/example.com~1x',
      '/spec/template/spec/affinity',
      '/spec/template/spec/hostNetwork',
    ])
  })

  it('are those of somebody who calls himself as the operator is called', () => {
    const entry = { manager: 'causeway-operator', operation: 'Update' }
    const object = statefulSet({ 'f:spec': { 'f:hostNetwork': {} } }, { spec: { hostNetwork: true } }, entry)
    expect(pointers(object)).toEqual(['/spec/template/spec/hostNetwork'])
  })

  it(`${requirement('OPR-015')} are entries of lists, the last one first, and fields inside of our entries`, () => {
    const container = (name: string, fields: object = {}) => ({ [`k:{"name":"${name}"}`]: { '.': {}, ...fields } })
    const theirs = {
      'f:spec': {
        'f:containers': {
          ...container('one'),
          ...container('relay', { 'f:image': {}, 'f:env': {} }),
          ...container('two'),
        },
      },
    }
    const containers = [{ name: 'one' }, { name: 'relay', image: 'ours', env: [] }, { name: 'two' }]
    expect(pointers(statefulSet(theirs, { spec: { containers } }))).toEqual([
      '/spec/template/spec/containers/2',
      '/spec/template/spec/containers/1/env',
      '/spec/template/spec/containers/0',
    ])
  })

  it('are values of sets', () => {
    const theirs = { 'f:spec': { 'f:list': { 'v:"b"': {} } } }
    expect(pointers(statefulSet(theirs, { spec: { list: ['a', 'b'] } }))).toEqual(['/spec/template/spec/list'])
  })

  it(`${requirement('OPR-015')} are not those that are gone by now, those of the status, and not a restart that a person asked for`, () => {
    const hostNetwork = { 'f:spec': { 'f:hostNetwork': {} } }
    expect(pointers(statefulSet(hostNetwork, { spec: {} }))).toEqual([])
    expect(pointers(statefulSet(hostNetwork, { spec: { hostNetwork: true } }, { subresource: 'status' }))).toEqual([])
    const restartedAt = 'kubectl.kubernetes.io/restartedAt'
    const restart = { 'f:metadata': { 'f:annotations': { [`f:${restartedAt}`]: {} } } }
    expect(pointers(statefulSet(restart, { metadata: { annotations: { [restartedAt]: 'now' } } }))).toEqual([])
  })

  it(`${requirement('OPR-015')} are removed from exactly the version that was looked at`, () => {
    const object = statefulSet({ 'f:spec': { 'f:hostNetwork': {} } }, { spec: { hostNetwork: true } })
    const fields = foreignFields(object, ['spec', 'template'], 'causeway-operator')
    expect(fields).toEqual([{ pointer: '/spec/template/spec/hostNetwork', manager: 'somebody' }])
    expect(removal(object, fields)).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'remove', path: '/spec/template/spec/hostNetwork' },
    ])
  })
})
