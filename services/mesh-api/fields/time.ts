import { z } from 'zod'

const YEAR = '(19[7-9][0-9]|[2-9][0-9]{3})'
const MONTH_AND_DAY =
  '((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-9]))'
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]'

/** A point in time that people write (RFC 3339), in UTC and whole seconds, as `2027-01-31T12:00:00Z`. */
export const instant = () =>
  z
    .string()
    .min(20)
    .max(20)
    .regex(new RegExp(`^${YEAR}-${MONTH_AND_DAY}T${CLOCK}Z$`), 'must be a time in UTC such as 2027-01-31T12:00:00Z')
