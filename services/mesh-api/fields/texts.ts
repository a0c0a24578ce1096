import { z } from 'zod'
import { FIELD_FACTS } from './facts.ts'

/** The value of an HTTP header (RFC 9110 section 5.5), ASCII only. */
export const HEADER_VALUE = /^[!-~]([\t -~]*[!-~])?$/

/** The most characters of one. */
export const MAX_HEADER_VALUE = 8_192

export const headerValue = () =>
  z
    .string()
    .min(1)
    .max(MAX_HEADER_VALUE)
    .regex(HEADER_VALUE, 'must be printable ASCII in one line, without a blank at either end, such as Bearer 0a1b2c')
    .register(FIELD_FACTS, { secret: true })

/** A program: a name that PATH knows, or a path. */
export const program = () =>
  z
    .string()
    .min(1)
    .max(4096)
    .regex(/^[^\0]+$/, 'must be a program without NUL, such as npx or ./server')
    .register(FIELD_FACTS, { program: true })

/** One argument of a program; people put keys there. */
export const argument = () =>
  z
    .string()
    .max(32_768)
    .regex(/^[^\0]*$/, 'must be without NUL, such as --verbose')
    .register(FIELD_FACTS, { secret: true })

export const environmentValue = () =>
  z
    .string()
    .max(32_768)
    .regex(/^[^\0]*$/, 'must be without NUL, such as production')
    .register(FIELD_FACTS, { secret: true })

/** An expression that relays evaluate; its language is CEL. */
export const celText = () => z.string().min(1).max(2_048)

/** Which part of a JSON value (RFC 6901). */
export const jsonPointer = () =>
  z
    .string()
    .max(256)
    .regex(/^(\/([^/~]|~[01])*)*$/, 'must be a JSON Pointer such as /address/street')

/** The name of somebody or something, or how names begin. */
export const namePattern = () =>
  z
    .string()
    .min(1)
    .max(512)
    .regex(/^[^*]*[*]?$/, 'must be a name, or its beginning and a *, such as team-a/*')
