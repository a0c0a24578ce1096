import { fromKubeconfig, KubeClient, systemClock } from '@causeway/kube'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { useApiCluster } from '../cluster/use-api-cluster.ts'
import { NAMESPACES } from '../fixtures/kube/objects.ts'

interface Kubeconfig {
  clusters: { name: string; cluster: Record<string, unknown> }[]
  users: { name: string; user: Record<string, unknown> }[]
  contexts: { name: string; context: Record<string, unknown> }[]
  'current-context': string
}

const cluster = useApiCluster()

/** The cluster's kubeconfig, changed. */
function changed(change: (config: Kubeconfig) => void): string {
  const config = parse(cluster().kubeconfigText) as Kubeconfig
  change(config)
  return stringify(config)
}

async function nameOfDefault(text: string, context?: string): Promise<string> {
  const connection = await fromKubeconfig({ text }, context === undefined ? {} : { context })
  const client = new KubeClient({ connection, clock: systemClock(), fieldManager: 'test' })
  try {
    return (await client.get(NAMESPACES, { name: 'default' })).metadata.name
  } finally {
    client.close()
  }
}

/** A program that prints a credential, as a cloud's command line does. */
function execUser(output: string): Record<string, unknown> {
  const args = ['-e', `process.stdout.write(${JSON.stringify(output)})`]
  return {
    exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args, interactiveMode: 'Never' },
  }
}

describe('a kubeconfig', () => {
  test('may be a file', async () => {
    const connection = await fromKubeconfig({ file: cluster().kubeconfig })
    expect(connection.serverUrl.href).toBe(`${cluster().serverUrl}/`)
    expect(connection.namespace).toBe('default')
    connection.close()
  })

  test('may have several contexts', async () => {
    const text = changed((config) => {
      config.contexts.push({ name: 'wrong', context: { cluster: 'absent', user: 'user' } })
      config['current-context'] = 'wrong'
    })
    expect(await nameOfDefault(text, 'causeway')).toBe('default')
    await expect(nameOfDefault(text)).rejects.toMatchObject({ code: 'Credentials' })
  })

  test('may name a program that has the credential', async () => {
    await cluster().kubectl('create', 'serviceaccount', 'robot')
    await cluster().kubectl(
      'create',
      'clusterrolebinding',
      'robot',
      '--clusterrole=cluster-admin',
      '--serviceaccount=default:robot',
    )
    const { kubeconfigText } = await cluster().credentialsFor({ namespace: 'default', name: 'robot' })
    const token = (parse(kubeconfigText) as Kubeconfig).users[0]?.user.token
    const credential = { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: { token } }
    const text = changed(({ users: [first] }) => {
      if (first !== undefined) first.user = execUser(JSON.stringify(credential))
    })
    expect(await nameOfDefault(text)).toBe('default')
  })

  test('whose program prints something else is told apart from a refusal', async () => {
    const text = changed(({ users: [first] }) => {
      if (first !== undefined) first.user = execUser('please log in')
    })
    await expect(nameOfDefault(text)).rejects.toMatchObject({ code: 'Credentials' })
  })

  test('of another authority is not believed', async () => {
    const text = changed(({ clusters: [first] }) => {
      if (first !== undefined) delete first.cluster['certificate-authority-data']
    })
    await expect(nameOfDefault(text)).rejects.toMatchObject({ code: 'Unreachable' })
  })

  test.each([
    { name: 'that is not there', source: { file: '/absent/kubeconfig' }, message: '/absent/kubeconfig: ' },
    { name: 'that is no YAML', source: { text: '{' }, message: 'kubeconfig: ' },
    { name: 'that is empty', source: { text: '' }, message: 'kubeconfig: ' },
  ])('$name says so', async ({ source, message }) => {
    await expect(fromKubeconfig(source)).rejects.toMatchObject({
      code: 'Credentials',
      message: expect.stringContaining(message),
    })
  })

  test.each(['not a url', 'ftp://example.com'])('with the server %j says so', async (server) => {
    const text = changed(({ clusters: [first] }) => {
      if (first !== undefined) first.cluster.server = server
    })
    await expect(fromKubeconfig({ text })).rejects.toMatchObject({ code: 'Credentials' })
  })
})
