import { networkInterfaces } from 'node:os'
import { run } from '../processes/command.ts'

/** Where the node lives: a network namespace of its own, with one cable to the host. */
export interface NodeNetwork {
  /** Name of the namespace, and of the interface at the host's end. */
  readonly name: string
  readonly hostAddress: string
  readonly nodeAddress: string
  /**
   * Runs a program in the namespace. Not `ip netns exec`: that mounts a /sys of its own, which hides the control groups.
   */
  readonly wrapper: readonly string[]
}

export const POD_ADDRESSES = '10.244.0.0/16'

/** The namespace's end of the cable. */
const NODE_INTERFACE = 'uplink'

/** The first network of two hosts that no interface of this machine uses. */
export function planNetwork(name: string): NodeNetwork {
  const used = new Set(
    Object.values(networkInterfaces())
      .flat()
      .map((one) => one?.address),
  )
  for (let third = 0; third < 256; third += 1) {
    const hostAddress = `10.210.${third}.1`
    if (used.has(hostAddress)) continue
    const nodeAddress = `10.210.${third}.2`
    return { name, hostAddress, nodeAddress, wrapper: ['nsenter', `--net=/run/netns/${name}`] }
  }
  throw new Error('every network 10.210.0.0 to 10.210.255.0 is in use')
}

export async function makeNetwork({ name, hostAddress, nodeAddress, wrapper }: NodeNetwork): Promise<void> {
  const [enter = '', ...where] = wrapper
  const inside = (...command: string[]) => run(enter, [...where, ...command])
  await run('ip', ['netns', 'add', name])
  await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'name', NODE_INTERFACE, 'netns', name])
  await run('ip', ['address', 'add', `${hostAddress}/30`, 'dev', name])
  await run('ip', ['link', 'set', name, 'up'])
  await inside('ip', 'link', 'set', 'lo', 'up')
  await inside('ip', 'address', 'add', `${nodeAddress}/30`, 'dev', NODE_INTERFACE)
  await inside('ip', 'link', 'set', NODE_INTERFACE, 'up')
  // kubelet and kube-proxy look for the interface of the default route.
  await inside('ip', 'route', 'add', 'default', 'via', hostAddress)
  await inside('sysctl', '-qw', 'net.ipv4.ip_forward=1')
  await inside('nft', MASQUERADE)
}

/** The host knows no way to a pod: what leaves the node carries the node's address. */
const MASQUERADE = `
table ip pods {
  chain leaving {
    type nat hook postrouting priority srcnat;
    ip saddr ${POD_ADDRESSES} oifname "${NODE_INTERFACE}" masquerade
  }
}`

export async function removeNetwork(name: string): Promise<void> {
  // With the namespace go its interfaces, and with one end of a cable the other.
  await run('ip', ['link', 'delete', name]).catch(() => {})
  await run('ip', ['netns', 'delete', name]).catch(() => {})
}
