import { randomBytes } from 'node:crypto'
import { ApiServer } from './api/api-server.ts'
import { ApiCluster } from './api/cluster.ts'
import { startControllerManager } from './api/controller-manager.ts'
import { startEtcd } from './api/etcd.ts'
import { programs } from './binaries/build.ts'
import { ALL_PROGRAMS } from './binaries/table.ts'
import { cleanUp, cleanUpStale } from './clean-up.ts'
import { importImage, startContainerd } from './node/containerd.ts'
import { makeControlGroup } from './node/control-groups.ts'
import { startCoreDns } from './node/core-dns.ts'
import { startKubelet } from './node/kubelet.ts'
import { makeNetwork, POD_ADDRESSES, planNetwork } from './node/network.ts'
import { NodeCluster } from './node/node-cluster.ts'
import { startKubeProxy, startScheduler } from './node/parts.ts'
import { makePauseImage } from './node/pause-image.ts'
import { noteTraces } from './node/tear-down.ts'
import { makeVolumes } from './node/volumes.ts'
import { Authority } from './pki/authority.ts'
import { RunFolder } from './processes/run-folder.ts'

const NODE_NAME = 'node-0'
/** The part of the pods' addresses that the only node gets. */
const NODE_POD_ADDRESSES = '10.244.0.0/24'

/**
 * Starts a complete cluster of one node inside a network namespace of its own; needs root and the Debian packages that
 * README.md names.
 */
export async function startNodeLevel(): Promise<NodeCluster> {
  if (process.getuid?.() !== 0) throw new Error('a cluster with a node can only be started by root')
  const files = await programs(ALL_PROGRAMS)
  await cleanUpStale()
  const folder = RunFolder.create()
  const stop = () => cleanUp(folder)
  try {
    return await start(folder, files, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(
  folder: RunFolder,
  files: Awaited<ReturnType<typeof programs<(typeof ALL_PROGRAMS)[number]>>>,
  stop: () => Promise<void>,
): Promise<NodeCluster> {
  const name = `causeway-${randomBytes(3).toString('hex')}`
  const network = planNetwork(name)
  const { wrapper, nodeAddress, hostAddress } = network
  noteTraces(folder, { name })
  await makeNetwork(network)
  await makeControlGroup(name)

  const authority = await Authority.create('causeway-test')
  const etcdPorts = { port: 2379, peerPort: 2380 }
  const etcd = await startEtcd(folder, { program: files.etcd, address: nodeAddress, ...etcdPorts, wrapper })
  const apiServer = await ApiServer.start(folder, {
    program: files['kube-apiserver'],
    authority,
    etcdUrl: etcd.url,
    address: nodeAddress,
    port: 6443,
    advertised: true,
    wrapper,
  })

  const startNode = async () => {
    const options = { programs: files, wrapper, podAddresses: NODE_POD_ADDRESSES, networkName: name }
    await startContainerd(folder, options)
    await importImage(files.ctr, folder, await makePauseImage(folder))
    const node = { nodeName: NODE_NAME, nodeAddress, controlGroup: name }
    await startKubelet(folder, apiServer, { program: files.kubelet, wrapper, authority, ...node })
  }
  const part = (program: keyof typeof files) => ({ program: files[program], wrapper, authority })
  await Promise.all([
    startNode(),
    startControllerManager(folder, apiServer, { ...part('kube-controller-manager'), podAddresses: POD_ADDRESSES }),
    startScheduler(folder, apiServer, part('kube-scheduler')),
    startKubeProxy(folder, apiServer, { ...part('kube-proxy'), nodeName: NODE_NAME }),
    startCoreDns(folder, apiServer, { ...part('coredns'), nodeAddress }),
    makeVolumes(apiServer.client(), folder, NODE_NAME),
  ])
  const api = await ApiCluster.of({ folder, authority, etcd, apiServer, kubectlProgram: files.kubectl, stop })
  return new NodeCluster({ api, nodeAddress, hostAddress, folder, ctrProgram: files.ctr, helmProgram: files.helm })
}
