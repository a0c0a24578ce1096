import { readFile } from 'node:fs/promises'
import { run } from '../processes/command.ts'

/** Unmounts everything at and below `folder`, what was mounted last and deepest first. */
export async function unmountBelow(folder: string): Promise<void> {
  for (const point of (await mountsBelow(folder)).sort((one, other) => other.length - one.length)) {
    await run('umount', ['--lazy', point]).catch(() => {}) // another clean-up may have been faster
  }
  const left = await mountsBelow(folder)
  if (left.length > 0) throw new Error(`still mounted: ${left.join(', ')}`)
}

async function mountsBelow(folder: string): Promise<string[]> {
  const points = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4] ?? '')
  return points.filter((point) => point === folder || point.startsWith(`${folder}/`))
}
