import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { aBackend, aPeer, aRelay, aRoute, fileOf, type Written } from '../fixtures/written.ts'
import { loadResources } from './load.ts'
import { ConfigurationError, formatProblem } from './problem.ts'

/** Whatever comes in: resources, or ConfigurationError with places that exist in the file. */
function loadsOrSaysWhy(octets: Uint8Array): void {
  const lines = new TextDecoder().decode(octets).split('\n').length
  try {
    loadResources([{ name: 'x.yaml', octets }])
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    expect(error.problems.length).toBeGreaterThan(0)
    for (const problem of error.problems) {
      expect(problem.line).toBeLessThanOrEqual(lines)
      expect(problem.message).not.toBe('')
      expect(formatProblem(problem), 'one line, safe for a terminal').toMatch(/^[\x20-\x7e]+$/)
    }
  }
}

const objects = [aRelay(), aPeer(), aBackend('everything', { peers: [{ name: 'tools' }] }), aRoute()]
const whole = fileOf(...objects).octets

describe('the loader never throws anything but ConfigurationError', () => {
  it('for octets', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), loadsOrSaysWhy))
  })

  it('for text made of the signs of YAML', () => {
    const signs = fc.constantFrom(
      ...[
        'a',
        ':',
        ' ',
        '\n',
        '  ',
        '- ',
        '? ',
        '[',
        ']',
        '{',
        '}',
        ',',
        '#',
        '&a ',
        '*a',
        '!',
        '!!str ',
        '|',
        '>',
        "'",
        '"',
      ],
      ...[
        '---\n',
        '...\n',
        '%YAML 1.2\n',
        '\t',
        '\r\n',
        '<<: ',
        '__proto__',
        'null',
        '~',
        '0x1',
        '.inf',
        '\u0085',
        '\ufeff',
      ],
    )
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 40 }), (parts) =>
        loadsOrSaysWhy(new TextEncoder().encode(parts.join(''))),
      ),
      { numRuns: 2000 },
    )
  })

  it('for a good file with octets changed, left out or cut off', () => {
    const edit = fc.record({
      at: fc.nat(whole.length - 1),
      remove: fc.nat(20),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc.string({ maxLength: 3 }).map((text) => new TextEncoder().encode(text)),
      ),
    })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        let octets: number[] = [...whole]
        for (const { at, remove, insert } of edits)
          octets = octets.toSpliced(at % (octets.length + 1), remove, ...insert)
        loadsOrSaysWhy(Uint8Array.from(octets))
      }),
      { numRuns: 1000 },
    )
    for (let length = 0; length < whole.length; length++) loadsOrSaysWhy(whole.subarray(0, length))
  })

  it('for any value in any field', () => {
    const paths = objects.flatMap((object, index) => pathsOf(object).map((path) => ({ index, path })))
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 3 }), ({ index, path }, value) => {
        const changed = objects.map((object, position) =>
          position === index ? withValue(object, path, value) : object,
        )
        loadsOrSaysWhy(fileOf(...(changed as object[])).octets)
      }),
      { numRuns: 2000 },
    )
  }, 120_000)
})

it('block style, flow style and JSON mean the same', () => {
  const forms = [
    objects.map((object) => JSON.stringify(object)),
    objects.map((object) => stringify(object)),
    objects.map((object) => stringify(object, { collectionStyle: 'flow' })),
  ]
  const loaded = forms.map((texts) =>
    loadResources([{ name: 'x.yaml', octets: new TextEncoder().encode(texts.join('\n---\n')) }]),
  )
  expect(loaded[1]).toEqual(loaded[0])
  expect(loaded[2]).toEqual(loaded[0])
})

type Path = readonly (string | number)[]

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const steps: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...steps.flatMap(([step, inner]) => pathsOf(inner, [...path, step]))]
}

function withValue(object: Written | unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(object)) return object.with(Number(step), withValue(object[Number(step)], rest, value))
  const fields = object as Record<string, unknown>
  return { ...fields, [step]: withValue(fields[step], rest, value) }
}
