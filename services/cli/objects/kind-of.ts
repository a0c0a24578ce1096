import { KIND_NAMES, KINDS, type KindName, nearest } from '@causeway/mesh-api'

/**
 * The kind that a person means: by its name, plural or short name as kubectl takes them, or without `Mesh`.
 * A text where there is none: what is wrong with it.
 */
export function kindOf(word: string): KindName | { readonly refusal: string } {
  const wanted = word.toLowerCase()
  const found = KIND_NAMES.find((kind) => namesOf(kind).includes(wanted))
  if (found !== undefined) return found
  const near = nearest(wanted, KIND_NAMES.flatMap(namesOf))
  const all = KIND_NAMES.map((kind) => KINDS[kind].plural).join(', ')
  return { refusal: `there is no kind ${word}${near === undefined ? '' : `; is ${near} meant?`} The kinds: ${all}` }
}

function namesOf(kind: KindName): readonly string[] {
  const { plural, shortName } = KINDS[kind]
  const full = [kind.toLowerCase(), plural]
  return [...full, shortName, ...full.filter((one) => one.startsWith('mesh')).map((one) => one.slice('mesh'.length))]
}
