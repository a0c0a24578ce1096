import { isLabelValue, isMetadataKey } from '../fields/labels.ts'
import type { Metadata } from '../kinds/metadata.ts'
import { printable } from '../load/field-path.ts'
import type { Fault } from './fault.ts'

/** All annotations of an object together, keys and values, in octets: the bound of an API server. */
const MAX_ANNOTATION_OCTETS = 262_144

/** What an API server has against metadata besides its shape. */
export function checkMetadata({ labels, annotations }: Metadata): Fault[] {
  const octets = Object.entries(annotations).reduce((sum, [key, value]) => sum + utf8(key) + utf8(value), 0)
  const tooMany: Fault[] =
    octets <= MAX_ANNOTATION_OCTETS
      ? []
      : [
          {
            path: ['metadata', 'annotations'],
            message: `must have at most ${MAX_ANNOTATION_OCTETS} octets`,
            kind: 'form',
          },
        ]
  return [
    ...keyFaults('labels', labels),
    ...Object.entries(labels)
      .filter(([, value]) => !isLabelValue(value))
      .map(
        ([key]): Fault => ({
          path: ['metadata', 'labels'],
          message: `the value of ${printable(key)} ${VALUE}`,
          kind: 'form',
        }),
      ),
    ...keyFaults('annotations', annotations),
    ...tooMany,
  ]
}

const KEY =
  'has a key that is none: letters, digits, "-", "_" and ".", at most 63, beginning and ending with a letter or digit, ' +
  'such as tier or example.com/tier'

const VALUE =
  'must be letters, digits, "-", "_" and ".", at most 63, beginning and ending with a letter or digit, or empty'

function keyFaults(field: 'labels' | 'annotations', map: Readonly<Record<string, string>>): Fault[] {
  // An API server names the map, and so do we: the key itself is what is wrong.
  return Object.keys(map).every(isMetadataKey) ? [] : [{ path: ['metadata', field], message: KEY, kind: 'form' }]
}

function utf8(text: string): number {
  return Buffer.byteLength(text)
}
