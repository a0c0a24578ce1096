import type { Bench } from './row.ts'
import { bulk } from './rows/bulk.ts'
import { call } from './rows/call.ts'
import { configurationChange } from './rows/configuration-change.ts'
import { configurationCold } from './rows/configuration-cold.ts'
import { configurationMemory } from './rows/configuration-memory.ts'
import { configurationRate } from './rows/configuration-rate.ts'
import { firstEvent } from './rows/first-event.ts'
import { growth } from './rows/growth.ts'
import { handshake } from './rows/handshake.ts'
import { memory } from './rows/memory.ts'
import { operatorIdle } from './rows/operator-idle.ts'
import { rate } from './rows/rate.ts'
import { recordPath } from './rows/record-path.ts'
import { sessions } from './rows/sessions.ts'

export const BENCHES: readonly Bench[] = [
  recordPath,
  handshake,
  call,
  firstEvent,
  rate,
  bulk,
  memory,
  sessions,
  growth,
  configurationChange,
  configurationCold,
  configurationMemory,
  configurationRate,
  operatorIdle,
]
