import { ApiServer } from './api/api-server.ts'
import { ApiCluster } from './api/cluster.ts'
import { startControllerManager } from './api/controller-manager.ts'
import { startEtcd } from './api/etcd.ts'
import { programs } from './binaries/build.ts'
import { API_PROGRAMS } from './binaries/table.ts'
import { cleanUp, cleanUpStale } from './clean-up.ts'
import { Authority } from './pki/authority.ts'
import { freePort } from './processes/ports.ts'
import { RunFolder } from './processes/run-folder.ts'

export interface ApiLevelOptions {
  /** Also garbage collection, Deployments, default service accounts, the end of namespaces; default: not. */
  readonly controllerManager?: boolean
}

/**
 * Starts etcd and kube-apiserver, as this user and on the loopback interface. It takes four seconds, after the programs
 * have been built once.
 */
export async function startApiLevel(options: ApiLevelOptions = {}): Promise<ApiCluster> {
  const files = await programs(API_PROGRAMS)
  await cleanUpStale()
  const folder = RunFolder.create()
  const stop = () => cleanUp(folder)
  try {
    const authority = await Authority.create('causeway-test')
    const address = '127.0.0.1'
    const ports = { port: await freePort(), peerPort: await freePort() }
    const etcd = await startEtcd(folder, { program: files.etcd, address, ...ports })
    const apiServer = await ApiServer.start(folder, {
      program: files['kube-apiserver'],
      authority,
      etcdUrl: etcd.url,
      address,
      port: await freePort(),
      advertised: false,
    })
    if (options.controllerManager === true) {
      await startControllerManager(folder, apiServer, { program: files['kube-controller-manager'], authority })
    }
    return await ApiCluster.of({ folder, authority, etcd, apiServer, kubectlProgram: files.kubectl, stop })
  } catch (error) {
    await stop()
    throw error
  }
}
