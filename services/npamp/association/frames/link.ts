import { MalformedError } from '../../errors.ts'
import { decodeLink } from '../../wire/link.ts'
import { required } from './body.ts'
import type { FrameHandler } from './handler.ts'

/** CARRIAGE section 1; only reached when both ends announced the extensions. */
export const onLink: FrameHandler = (live, _header, payload) => {
  const message = required(decodeLink, payload, (text) => new MalformedError('LINK', text))
  if (message === undefined) live.drop('link_op')
  else live.events.push({ type: 'link', message })
  return undefined
}
