/** Byte streams for associations and the driver that pumps them. Needs Node. */
export { BridgeTimer } from './bridge-timer.ts'
export { type Clock, type Connection, connect, type DriverOptions } from './driver.ts'
export { type MemoryPairOptions, memoryPair } from './memory/pair.ts'
export { systemClock } from './system-clock.ts'
export { clientContext } from './tcp-tls/client-context.ts'
export { type DialOptions, dialTls } from './tcp-tls/dial.ts'
export { POST_QUANTUM_GROUP } from './tcp-tls/groups.ts'
export {
  DEFAULT_LISTEN_LIMITS,
  type ListenLimits,
  type ListenOptions,
  listenTls,
  type TlsListener,
} from './tcp-tls/listen.ts'
export { ALPN, type ListenTlsMode, type PostQuantum, type TlsMode } from './tcp-tls/options.ts'
