/** Logger, metrics and the admin listener. */
export { type Admin, type AdminOptions, type Readiness, startAdmin } from './admin/admin.ts'
export { createLogger, LOG_LEVELS, type LogFields, type Logger, type LoggerOptions, type LogLevel } from './logger.ts'
export {
  type Counter,
  createMetrics,
  type Gauge,
  type HistogramHandle,
  type LabelsArgument,
  type Metrics,
} from './metrics/metrics.ts'
export { type Labels, METRIC_TABLE, type MetricName, type NameOf } from './metrics/table.ts'
