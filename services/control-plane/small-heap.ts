import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the space for what lives shortly as small as it is at the start. A control plane reads lists of thousands of
 * objects now and then; V8 would enlarge that space for each of them, to 100 MB and more, and keep it for a process that is
 * idle from then on. Before anything large is read.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
