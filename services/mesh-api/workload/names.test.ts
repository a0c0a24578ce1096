import { describe, expect, it } from 'vitest'
import {
  clientCertificateName,
  credentialsName,
  identitySecretName,
  podsServiceName,
  workloadLabels,
  workloadName,
} from './names.ts'

/** With the 11 characters of a revision behind it, it still is a label of the DNS. */
const SHORT_DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/

describe('names of what is made for a relay', () => {
  it('are made of its name', () => {
    expect(workloadName('edge')).toBe('causeway-edge')
    expect(podsServiceName('edge')).toBe('causeway-edge-pods')
    expect(clientCertificateName('edge')).toBe('causeway-edge-client')
    expect(identitySecretName('edge', 'b')).toBe('causeway-edge-identity-b')
    expect(credentialsName('edge')).toBe('causeway-edge-credentials')
    expect(workloadLabels('edge')).toEqual({
      'app.kubernetes.io/name': 'causeway-relay',
      'app.kubernetes.io/instance': 'edge',
      'app.kubernetes.io/managed-by': 'causeway-operator',
      'mesh.causeway.dev/relay': 'edge',
    })
  })

  it('stay labels of the DNS, and apart, however long the name is and whatever it has in it', () => {
    const long = 'a'.repeat(44)
    expect(workloadName('a'.repeat(43))).toBe(`causeway-${'a'.repeat(43)}`)
    expect(workloadName(long)).toMatch(/^causeway-a{31}-[0-9a-f]{10}$/)
    const names = [long, `${long}b`, 'a.b', 'a-b', `${'a'.repeat(30)}.b${'c'.repeat(200)}`, 'a'.repeat(253)]
    // A relay that is called as another one's workload is.
    names.push(...['a.b', long].map((name) => workloadName(name).replace('causeway-', '')))
    const made = names.map(workloadName)
    expect(new Set(made).size).toBe(names.length)
    for (const name of made) expect(name).toMatch(SHORT_DNS_LABEL)
    const labelled = [...names, ...names.map(workloadName)]
    const labels = labelled.map((name) => workloadLabels(name)['mesh.causeway.dev/relay'])
    expect(new Set(labels).size, 'no selector finds the pods of two').toBe(new Set(labelled).size)
    for (const value of names.flatMap((name) => Object.values(workloadLabels(name)))) {
      expect(value).toMatch(/^[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/)
    }
  })
})
