import { describe, expect, it } from 'vitest'
import { METRIC_TABLE, type MetricRow } from './table.ts'

describe.each(Object.entries(METRIC_TABLE) as [string, MetricRow][])('%s', (name, row) => {
  it('has a final Prometheus name that says its unit and, for a counter, _total', () => {
    expect(name).toMatch(/^causeway_[a-z]+(_[a-z]+)*$/)
    expect(name.endsWith('_total')).toBe(row.type === 'counter')
    if (row.unit === 's') expect(name).toMatch(/_seconds(_total)?$/)
    if (row.unit === 'By') expect(name).toMatch(/_octets_|_bytes/)
  })

  it('has help, sensible labels, and buckets where they belong', () => {
    expect(row.help).toMatch(/^[A-Z].*\.$/)
    for (const label of row.labels) expect(label).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(new Set(row.labels).size).toBe(row.labels.length)
    expect(row.labels).not.toContain('le')
    const buckets = row.buckets ?? []
    expect(buckets.length > 0).toBe(row.type === 'histogram')
    expect([...buckets].sort((a, b) => a - b)).toEqual([...buckets])
  })
})
