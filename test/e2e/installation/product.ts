import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CHARTS } from '../../charts/render.ts'
import type { PodCluster } from '../../cluster/node/pod-cluster.ts'
import { packProductImage } from '../../tools/image/product-image.ts'
import { ROOT } from '../../tools/step.ts'
import { packEverythingImage } from '../images/everything-image.ts'

const run = promisify(execFile)

export const SYSTEM = 'causeway-system'
export const TEAMS = ['shop', 'warehouse'] as const

/** Builds the image of the product from this checkout, and that of the MCP server, and gives both to the cluster. */
export async function loadImages(cluster: PodCluster): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'causeway-images-'))
  try {
    const compiled = join(work, 'dist')
    await run('node', ['test/tools/build.ts', '--out', compiled], { cwd: ROOT }).catch((error: { stdout: string }) => {
      throw new Error(`the packages do not compile:\n${error.stdout}`)
    })
    const repository = 'docker.io/library/causeway'
    await packProductImage(join(work, 'causeway.tar'), { compiled, repository, createdSeconds: 0 })
    await packEverythingImage(join(work, 'everything.tar'))
    for (const name of ['causeway.tar', 'everything.tar']) await cluster.loadImage(join(work, name))
  } finally {
    await rm(work, { recursive: true })
  }
}

/** Both charts, as docs/install.md installs them, and the example mesh with its MCP server. */
export async function installProduct(cluster: PodCluster): Promise<void> {
  await cluster.apply(await text('namespaces.yaml'))
  await cluster.helm('install', 'causeway-crds', join(CHARTS, 'causeway-crds'), '--namespace', SYSTEM)
  const values = ['--set-json', `watchNamespaces=${JSON.stringify(TEAMS)}`, '--set', 'image.pullPolicy=Never']
  const wait = ['--wait', '--timeout', '3m']
  await cluster.helm('install', 'causeway', join(CHARTS, 'causeway'), '--namespace', SYSTEM, ...values, ...wait)
  await cluster.apply(await text('surroundings.yaml'))
  for (const name of TEAMS) await cluster.apply(await readFile(join(ROOT, `examples/mesh/${name}.yaml`), 'utf8'))
}

/** What `causeway ARGS` of the checkout prints about the cluster, however it ends. */
export async function causeway(cluster: PodCluster, ...args: string[]): Promise<string> {
  const env = { ...process.env, KUBECONFIG: cluster.kubeconfig }
  const command = ['services/cli/launch.mjs', ...args]
  const { stdout } = await run('node', command, { cwd: ROOT, env }).catch((error: { stdout: string }) => error)
  return stdout
}

/** A file beside this one. */
function text(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8')
}
