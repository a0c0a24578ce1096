/**
 * Every process is started as the leader of a group of its own (a session, in the words of POSIX), so that what it starts
 * ends with it.
 */
export const OWN_GROUP = process.platform !== 'win32'

/** Signal 0 only asks. False: nobody is left in the group. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(OWN_GROUP ? -leader : leader, signal)
    return true
  } catch (error) {
    // EPERM: there is somebody, who took another user's identity.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
