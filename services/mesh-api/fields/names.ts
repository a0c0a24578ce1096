import { z } from 'zod'
import { FIELD_FACTS } from './facts.ts'

/** A label of the DNS, as Kubernetes names most things. */
const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

/** `metadata.name`: a DNS subdomain. */
export const objectName = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(
      new RegExp(`^${DNS_LABEL}(\\.${DNS_LABEL})*$`),
      'must be lower-case letters, digits, "-" and ".", beginning and ending with a letter or digit, such as search',
    )

/** `metadata.namespace`: a DNS label. */
export const namespaceName = () =>
  z
    .string()
    .min(1)
    .max(63)
    .regex(
      new RegExp(`^${DNS_LABEL}$`),
      'must be lower-case letters, digits and "-", beginning and ending with a letter or digit, such as team-a',
    )

/** The name of a part of an object, such as a rule. */
export const objectLabel = () =>
  z
    .string()
    .min(1)
    .max(63)
    .regex(
      new RegExp(`^${DNS_LABEL}$`),
      'must be lower-case letters, digits and "-", beginning and ending with a letter or digit, such as team-a',
    )

/** A tool's name, or how names begin. MCP: 1 to 128 characters. */
export const toolPattern = () =>
  z
    .string()
    .min(1)
    .max(128)
    .regex(/^[^* \t\n\r]*[*]?$/, 'must be the name of a tool, or its beginning and a *, such as files.*')

/** A key of a Secret or ConfigMap. */
export const dataKey = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(
      /^[-._a-zA-Z0-9]+$/,
      'must be a key of a Secret or ConfigMap: letters, digits, "-", "_" and ".", such as tls.crt',
    )

/** The most octets that a target's name has on the wire (CARRIAGE section 1, RouteContext key 0). */
export const MAX_WIRE_NAME_OCTETS = 63

/** A target's name on the wire. ASCII, so that characters are octets. */
export const wireName = () =>
  z
    .string()
    .min(1)
    .max(MAX_WIRE_NAME_OCTETS)
    .regex(
      /^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$/,
      'must be letters, digits, "-", "." and "_", beginning and ending with a letter or digit, such as search',
    )

/** HELLO extension key 3 (CARRIAGE section 1). */
export const replicaName = () =>
  z
    .string()
    .min(1)
    .max(63)
    .regex(/^[-a-z0-9.]+$/, 'must be lower-case letters, digits, "-" and ".", such as edge-0')

/** The name of an HTTP header, lower case as it crosses the mesh. */
export const headerName = () =>
  z
    .string()
    .min(1)
    .max(128)
    .regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/, 'must be the name of an HTTP header in lower case, such as x-tenant')

/** The name of an environment variable; some of Windows have parentheses. */
export const environmentName = () =>
  z
    .string()
    .min(1)
    .max(256)
    .regex(
      /^[A-Za-z_][-._()A-Za-z0-9]*$/,
      'must be the name of an environment variable: letters, digits, "_", "-", "." and parentheses, no digit first, such as API_KEY',
    )

/** A path of the file system; a relative one starts from the folder of the file that it stands in. */
export const filePath = () =>
  z
    .string()
    .min(1)
    .max(4096)
    .regex(/^[^\0]+$/, 'must be a path without NUL, such as keys/edge.pem')
    .register(FIELD_FACTS, { file: true })
