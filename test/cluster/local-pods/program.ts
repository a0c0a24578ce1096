import { join } from 'node:path'
import { ROOT } from '../../tools/step.ts'
import { freePort } from '../processes/ports.ts'
import type { Container } from './pod-object.ts'

/** A container's process, as it is started outside of a container. */
export interface Program {
  /** Of the sources that are in the image in compiled form, and its arguments. */
  readonly script: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The ports that were asked for at every address -> where it listens on the loopback interface. */
  readonly ports: ReadonlyMap<number, number>
}

export interface Surroundings {
  /** Stands for the root of the file system. */
  readonly root: string
  /** Values of the variables, those of ConfigMaps among them. */
  readonly variables: Readonly<Record<string, string>>
  /** Where a Service is reached from here; `host:port`. */
  readonly service: (namespace: string, name: string, port: number) => Promise<string>
}

const EVERY_ADDRESS = /^(--[a-z-]+=)?0\.0\.0\.0:(\d+)$/
const SERVICE_ADDRESS = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc:(\d+)$/

/**
 * What the container says, with the few things changed that a process beside others on the same machine cannot have: a
 * file system, ports and a DNS of its own. A variable with the address of a Service gets a companion `..._NAME`, which
 * says the name that the address stands for.
 */
export async function programOf(container: Container, around: Surroundings): Promise<Program> {
  const [script, ...given] = wordsOf(container)
  const ports = new Map<number, number>()
  const locally = async (text: string): Promise<string> => {
    const [, flag = '', port] = EVERY_ADDRESS.exec(text) ?? []
    if (port === undefined) return relocated(text, container, around.root)
    const local = ports.get(Number(port)) ?? (await freePort())
    ports.set(Number(port), local)
    return `${flag}127.0.0.1:${local}`
  }
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(around.variables)) {
    const [, service, namespace = '', port] = SERVICE_ADDRESS.exec(value) ?? []
    if (service === undefined) env[name] = await locally(value)
    else {
      env[name] = await around.service(namespace, service, Number(port))
      env[`${name}_NAME`] = value.slice(0, value.lastIndexOf(':'))
    }
  }
  const args = await Promise.all(given.map(locally))
  return { script: join(ROOT, (script ?? '').replace(/^\/app\//, '').replace(/\.js$/, '.ts')), args, env, ports }
}

/** Without the `node` in front, which is the image's entry point too. */
function wordsOf({ command = [], args = [] }: Container): readonly string[] {
  const words = [...command, ...args]
  return words[0]?.endsWith('node') === true ? words.slice(1) : words
}

/** A path to, into or above something mounted is one of this pod's root. */
function relocated(text: string, { volumeMounts = [] }: Container, root: string): string {
  const [, flag = '', path] = /^(--[a-z-]+=)?(\/.*)$/.exec(text) ?? []
  if (path === undefined) return text
  const isInside = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`)
  const isMounted = volumeMounts.some(({ mountPath }) => isInside(path, mountPath) || isInside(mountPath, path))
  return isMounted ? `${flag}${root}${path}` : text
}
