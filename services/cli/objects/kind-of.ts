import { KIND_NAMES, KINDS, type KindName, nearest } from '@causeway/mesh-api'

/** Which resource a person means: a kind, and of that one or all. */
interface Wanted {
  readonly kind: KindName
  readonly name?: string
  readonly namespace?: string
}

/**
 * As two words, as kubectl takes them (`relay/edge`), or as every message of ours names a resource (`MeshRelay/shop/edge`).
 */
export function wantedOf(word: string, name?: string): Wanted | { readonly refusal: string } {
  const [kindWord = '', ...rest] = word.split('/')
  const kind = kindOf(kindWord)
  if (typeof kind === 'object') return kind
  if (rest.length === 0) return name === undefined ? { kind } : { kind, name }
  const [first = '', second] = rest
  if (name !== undefined || rest.length > 2 || rest.includes('')) {
    return { refusal: `${word} is not KIND, KIND/NAME or KIND/NAMESPACE/NAME, as in MeshRelay/shop/edge` }
  }
  return second === undefined ? { kind, name: first } : { kind, namespace: first, name: second }
}

/**
 * The kind that a person means: by its name, plural or short name as kubectl takes them, or without `Mesh`.
 * A text where there is none: what is wrong with it.
 */
function kindOf(word: string): KindName | { readonly refusal: string } {
  const wanted = word.toLowerCase()
  const found = KIND_NAMES.find((kind) => namesOf(kind).includes(wanted))
  if (found !== undefined) return found
  const near = nearest(wanted, KIND_NAMES.flatMap(namesOf))
  const all = KIND_NAMES.map((kind) => KINDS[kind].plural).join(', ')
  return {
    refusal: `there is no kind ${word}${near === undefined ? '' : `; is ${near} meant?`}${near === undefined ? '; the' : ' The'} kinds: ${all}`,
  }
}

function namesOf(kind: KindName): readonly string[] {
  const { plural, shortName } = KINDS[kind]
  const full = [kind.toLowerCase(), plural]
  return [...full, shortName, ...full.filter((one) => one.startsWith('mesh')).map((one) => one.slice('mesh'.length))]
}
