import { createHash } from 'node:crypto'
import { credentialFile, type DataEntry } from '@causeway/mesh-api'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import { base64, text } from './kube.ts'
import { useOperatorStand } from './stand.ts'

const stand = useOperatorStand({ watched: ['shop', 'bank'] })
afterEach(() => stand().stopOperators())

const PROJECTED = 'causeway-edge-credentials'
const sha256 = (value: string) => createHash('sha256').update(value).digest('hex')
const entry = (namespace: string, name: string, key: string, kind: DataEntry['kind'] = 'Secret') =>
  credentialFile({ kind, namespace, name, key })

const backend = (secret: string, relayNamespace?: string) => ({
  relayRefs: [{ name: 'edge', ...(relayNamespace === undefined ? {} : { namespace: relayNamespace }) }],
  mcp: {
    url: 'http://tools:3000/mcp',
    headers: [{ name: 'authorization', valueFrom: { secretRef: { name: secret, key: 'value' } } }],
  },
})

/** What the relay finds, by file. */
async function files(): Promise<Readonly<Record<string, string>>> {
  const secret = await stand().kube.find('Secret', 'shop', PROJECTED)
  return Object.fromEntries(
    Object.keys(secret?.data ?? {}).map((file) => [file, secret === undefined ? '' : text(secret, file)]),
  )
}

describe('credentials of backends', { timeout: 120_000 }, () => {
  it('are projected into one Secret of the relay, from every namespace that it permits, and told by digest', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'edge', { allowedNamespaces: { from: 'All' } })
    await kube.createSecret('shop', 'token', { value: 'Bearer one', other: 'not asked for' })
    await kube.createSecret('bank', 'token', { value: 'Bearer two' })
    await kube.create('ConfigMap', 'shop', { metadata: { name: 'roots' }, data: { 'ca.crt': 'PEM' } })
    await kube.write('MeshBackend', 'shop', 'tools', backend('token'))
    await kube.write('MeshBackend', 'bank', 'ledger', backend('token', 'shop'))
    await kube.write('MeshPeer', 'shop', 'far', {
      relayRefs: [{ name: 'edge' }],
      addresses: ['npamp://far:7443'],
      identityFrom: { relayRef: { name: 'edge' } },
      tls: { mode: 'ca', caConfigMapRef: { name: 'roots', key: 'ca.crt' } },
    })
    await stand().startLeading()
    const wanted = {
      [entry('shop', 'token', 'value')]: 'Bearer one',
      [entry('bank', 'token', 'value')]: 'Bearer two',
      [entry('shop', 'roots', 'ca.crt', 'ConfigMap')]: 'PEM',
    }
    await until('all are there', async () => Object.keys(await files()).length === 3)
    expect(await files()).toEqual(wanted)
    const told = async (kind: 'MeshBackend' | 'MeshPeer', namespace: string, name: string) =>
      until('the digest is told', async () => (await kube.get(kind, namespace, name)).status?.credentials)
    expect(await told('MeshBackend', 'shop', 'tools')).toEqual([
      { file: entry('shop', 'token', 'value'), sha256: sha256('Bearer one') },
    ])
    expect(await told('MeshBackend', 'bank', 'ledger')).toHaveLength(1)
    expect(await told('MeshPeer', 'shop', 'far')).toHaveLength(1)
  })

  it('follow their Secret, and stay as they were when it is deleted', async () => {
    const { kube } = stand()
    await stand().startLeading()
    const file = entry('shop', 'token', 'value')
    await kube.patch('Secret', 'shop', 'token', { data: { value: base64('Bearer new') } })
    await until('it is followed', async () => (await files())[file] === 'Bearer new')
    await until('the digest too', async () => {
      const { credentials } = (await kube.get('MeshBackend', 'shop', 'tools')).status
      return credentials[0].sha256 === sha256('Bearer new')
    })
    await kube.delete('Secret', 'shop', 'token')
    await kube.untilCondition('MeshBackend', 'shop', 'tools', 'Accepted', { reason: 'DataNotFound' })
    expect((await files())[file]).toBe('Bearer new')
    await kube.createSecret('shop', 'token', { value: 'Bearer back' })
    await until('it is followed again', async () => (await files())[file] === 'Bearer back')
  })

  it('are put right again where a person edits or deletes the Secret of the relay', async () => {
    const { kube } = stand()
    await stand().startLeading()
    const file = entry('shop', 'token', 'value')
    await kube.patch('Secret', 'shop', PROJECTED, { data: { [file]: base64('mine'), stray: base64('x') } })
    await until('it is as it was', async () => {
      const now = await files()
      return now[file] === 'Bearer back' && !('stray' in now)
    })
    await kube.delete('Secret', 'shop', PROJECTED)
    await until('it is there again', async () => (await files())[file] === 'Bearer back')
  })

  it('go with who named them', async () => {
    const { kube } = stand()
    await stand().startLeading()
    await kube.delete('MeshBackend', 'bank', 'ledger')
    await until('it is dropped', async () => !(entry('bank', 'token', 'value') in (await files())))
    await kube.write('MeshRelay', 'shop', 'edge', {})
    await kube.write('MeshBackend', 'bank', 'ledger', backend('token', 'shop'))
    await kube.untilCondition('MeshBackend', 'bank', 'ledger', 'Accepted', { reason: 'NotFound' })
    expect(Object.keys(await files())).not.toContain(entry('bank', 'token', 'value'))
  })

  it('are written over nothing that belongs to others', async () => {
    const { kube } = stand()
    const mine = { mine: 'kept' }
    await kube.createSecret('shop', 'causeway-second-credentials', mine)
    await kube.createSecret('shop', 'plain', { value: 'plain' })
    await kube.write('MeshRelay', 'shop', 'second', {})
    await stand().startLeading()
    await kube.write('MeshBackend', 'shop', 'second', {
      ...backend('plain'),
      relayRefs: [{ name: 'second' }],
      meshName: 'second',
    })
    await kube.untilEvent('shop', 'second', 'NameTaken', 'Secret causeway-second-credentials')
    const found = await kube.get('Secret', 'shop', 'causeway-second-credentials')
    expect(found.data).toEqual({ mine: base64('kept') })
  })

  it('are never keys that the operator made', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'edge', { allowedNamespaces: { from: 'All' } })
    await kube.write('MeshRelay', 'bank', 'vault', {})
    await stand().startLeading()
    const secret = 'causeway-vault-identity-a'
    await until('the key of the other relay', () => kube.find('Secret', 'bank', secret))
    const secretRef = { name: secret, key: 'key.pem' }
    await kube.write('MeshBackend', 'bank', 'thief', {
      relayRefs: [{ name: 'edge', namespace: 'shop' }],
      mcp: { url: 'http://tools:3000/mcp', headers: [{ name: 'authorization', valueFrom: { secretRef } }] },
    })
    const { message } = await kube.untilCondition('MeshBackend', 'bank', 'thief', 'Accepted', {
      reason: 'DataNotFound',
    })
    expect(message).toContain(`Secret bank/${secret} is not there`)
    // What is projected now was looked at after it.
    await kube.createSecret('bank', 'after', { value: 'after' })
    await kube.write('MeshBackend', 'bank', 'after', backend('after', 'shop'))
    await until('the next one is projected', async () => (await files())[entry('bank', 'after', 'value')] === 'after')
    expect(Object.keys(await files())).not.toContain(entry('bank', secret, 'key.pem'))
    await kube.delete('MeshBackend', 'bank', 'thief')
  })

  it('never stand in a log', async () => {
    const operator = await stand().startLeading({ 'log-level': 'trace' })
    await stand().kube.patch('Secret', 'shop', 'token', { data: { value: base64('hunter2') } })
    await until('it is followed', async () => (await files())[entry('shop', 'token', 'value')] === 'hunter2')
    expect(operator.log).not.toMatch(/hunter2|Bearer|aHVudGVyMg|PRIVATE KEY/)
  })
})
