import { createHash, X509Certificate } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { clientCertificateName } from '@causeway/mesh-api'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../cluster/wait.ts'
import { type Found, text } from './kube.ts'
import { SYSTEM, useOperatorStand } from './stand.ts'

const stand = useOperatorStand()
afterEach(() => stand().stopOperators())

const certificateOf = (secret: Found) => new X509Certificate(text(secret, 'tls.crt'))
const digestOf = (bundle: string) => createHash('sha256').update(bundle).digest('hex')

async function bundle(): Promise<string> {
  return (await stand().kube.find('ConfigMap', 'shop', 'causeway-trust'))?.data?.['ca.crt'] ?? ''
}

function certificatesIn(texts: string): X509Certificate[] {
  return (texts.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one),
  )
}

describe('certificates', { timeout: 120_000 }, () => {
  it('are renewed before they end, the authority stays', async () => {
    const { kube } = stand()
    await kube.write('MeshRelay', 'shop', 'edge', {})
    await stand().startLeading({ 'leaf-life': '3s' })
    const first = await until('the certificate', () => kube.find('Secret', 'shop', 'causeway-edge-client'))
    const authority = await kube.get('Secret', SYSTEM, 'causeway-ca')
    await until('it is renewed', async () => {
      const now = await kube.get('Secret', 'shop', 'causeway-edge-client')
      return certificateOf(now).serialNumber !== certificateOf(first).serialNumber
    })
    expect((await kube.get('Secret', SYSTEM, 'causeway-ca')).data).toEqual(authority.data)
  })

  it('are issued anew where they were deleted, damaged, or are those of a relay that is no more', async () => {
    const { kube } = stand()
    await stand().startLeading()
    const name = 'causeway-edge-client'
    const before = await until('the certificate', () => kube.find('Secret', 'shop', name))
    await kube.delete('Secret', 'shop', name)
    const second = await until('it is there again', () => kube.find('Secret', 'shop', name))
    expect(certificateOf(second).serialNumber).not.toBe(certificateOf(before).serialNumber)
    await kube.patch('Secret', 'shop', name, { data: { 'tls.key': 'bm9uZQ==' } })
    await until('it is usable again', async () => text(await kube.get('Secret', 'shop', name), 'tls.key') !== 'none')
    await kube.delete('ConfigMap', 'shop', 'causeway-trust')
    await until('the bundle is there again', async () => (await bundle()) !== '')
    await kube.patch('ConfigMap', 'shop', 'causeway-trust', { data: { 'ca.crt': 'mine' } })
    await until('the bundle is as it was', async () => (await bundle()).startsWith('-----BEGIN'))

    const old = (await kube.get('MeshRelay', 'shop', 'edge')).metadata.uid
    await kube.patch('MeshRelay', 'shop', 'edge', { metadata: { finalizers: null } })
    await kube.delete('MeshRelay', 'shop', 'edge')
    await until('the relay is gone', async () => !(await kube.find('MeshRelay', 'shop', 'edge')))
    const { uid } = (await kube.write('MeshRelay', 'shop', 'edge', {})).metadata
    expect(uid).not.toBe(old)
    await until('the certificate says the new relay', async () =>
      certificateOf(await kube.get('Secret', 'shop', name)).subjectAltName?.includes(uid),
    )
  })

  it('are there for a relay whose name no label has room for, also when they were deleted', async () => {
    const { kube } = stand()
    await stand().startLeading()
    const relay = `long-${'x'.repeat(70)}`
    await kube.write('MeshRelay', 'shop', relay, {})
    const name = clientCertificateName(relay)
    const { uid } = (await until('the certificate', () => kube.find('Secret', 'shop', name))).metadata
    await kube.delete('Secret', 'shop', name)
    await until('it is there again', async () => {
      const found = await kube.find('Secret', 'shop', name)
      return found !== undefined && found.metadata.uid !== uid
    })
    await kube.delete('MeshRelay', 'shop', relay)
    await until('the relay is gone', async () => !(await kube.find('MeshRelay', 'shop', relay)))
  })

  it('of the control plane and of the authority are made anew where somebody deletes them', async () => {
    const { kube } = stand()
    await stand().startLeading()
    const leaves = [
      ['shop', 'causeway-edge-client'],
      [SYSTEM, 'causeway-control-plane-tls'],
    ] as const
    await kube.delete('Secret', SYSTEM, 'causeway-control-plane-tls')
    await until('the certificate is back', () => kube.find('Secret', SYSTEM, 'causeway-control-plane-tls'))
    const old = certificateOf(await kube.get('Secret', SYSTEM, 'causeway-ca'))
    await kube.delete('Secret', SYSTEM, 'causeway-ca')
    await kube.untilEvent(SYSTEM, 'causeway-ca', 'AuthorityCreated')
    const young = await until('there is another authority', async () => {
      const found = await kube.find('Secret', SYSTEM, 'causeway-ca')
      const now = found === undefined ? undefined : certificateOf(found)
      return now?.fingerprint256 === old.fingerprint256 ? undefined : now
    })
    for (const [namespace, name] of leaves)
      await until(`${name} is of the new one`, async () =>
        certificateOf(await kube.get('Secret', namespace, name)).verify(young.publicKey),
      )
    await until('the bundle has it alone', async () => {
      const left = certificatesIn(await bundle())
      return left.length === 1 && left[0]?.fingerprint256 === young.fingerprint256
    })
  })

  it('come of a new authority once every instance trusts it, and the old one is dropped', async () => {
    const { kube } = stand()
    await stand().startLeading()
    const old = certificateOf(await kube.get('Secret', SYSTEM, 'causeway-ca'))
    const instance = { namespace: 'shop', relay: 'edge', instance: 'causeway-edge-0' }
    await until('the first bundle', async () => certificatesIn(await bundle()).length === 1)
    await kube.report('MeshRelay', 'shop', 'edge', [{ ...instance, bundleSHA256: digestOf(await bundle()) }])
    await kube.patch('Secret', SYSTEM, 'causeway-ca', {
      metadata: { annotations: { 'mesh.causeway.dev/rotate-authority': 'now' } },
    })
    await until('old and new are published', async () => certificatesIn(await bundle()).length === 2)
    const both = await bundle()
    const young = certificateOf(await kube.get('Secret', SYSTEM, 'causeway-ca-next'))
    const plane = await until('to the control plane too', async () => {
      const secret = await kube.get('Secret', SYSTEM, 'causeway-control-plane-tls')
      return text(secret, 'ca.crt') === both ? secret : undefined
    })
    expect(certificateOf(plane).checkIssued(old)).toBe(true)
    await delay(1_500) // Longer than mounted files take: an instance that has not read it holds it up.
    expect(certificateOf(await kube.get('Secret', 'shop', 'causeway-edge-client')).checkIssued(old)).toBe(true)

    await kube.report('MeshRelay', 'shop', 'edge', [{ ...instance, bundleSHA256: digestOf(both) }])
    for (const [namespace, name] of [
      ['shop', 'causeway-edge-client'],
      [SYSTEM, 'causeway-control-plane-tls'],
    ] as const)
      await until(`${name} is of the new one`, async () => {
        const leaf = certificateOf(await kube.get('Secret', namespace, name))
        return leaf.checkIssued(young) && leaf.verify(young.publicKey)
      })
    await until('the old one is dropped', async () => {
      const left = certificatesIn(await bundle())
      return left.length === 1 && left[0]?.fingerprint256 === young.fingerprint256
    })
    await until('nothing is left over', async () => !(await kube.find('Secret', SYSTEM, 'causeway-ca-next')))
    const now = await kube.get('Secret', SYSTEM, 'causeway-ca')
    expect(certificateOf(now).fingerprint256).toBe(young.fingerprint256)
    expect(now.metadata.annotations ?? {}).not.toHaveProperty('mesh.causeway.dev/rotate-authority')
  })

  it('wait for a person where the authority is damaged: it is never replaced in silence', async () => {
    const { kube } = stand()
    const held = await kube.get('Secret', SYSTEM, 'causeway-ca')
    await kube.patch('Secret', SYSTEM, 'causeway-ca', { data: { 'tls.key': 'bm9uZQ==' } })
    await stand().startLeading()
    await kube.untilEvent(SYSTEM, 'causeway-ca', 'AuthorityDamaged')
    await kube.delete('Secret', 'shop', 'causeway-edge-client')
    await delay(1_000)
    expect(await kube.find('Secret', 'shop', 'causeway-edge-client')).toBeUndefined()
    await kube.patch('Secret', SYSTEM, 'causeway-ca', { data: held.data })
    await until('it goes on', () => kube.find('Secret', 'shop', 'causeway-edge-client'))
  })
})
