import type { KubeObject, ResourceType } from '../objects.ts'

/** events.k8s.io/v1. */
export interface KubeEvent extends KubeObject {
  readonly eventTime: string
  readonly reportingController: string
  readonly reportingInstance: string
  readonly action: string
  readonly reason: string
  readonly regarding: EventTarget
  readonly related?: EventTarget
  readonly note: string
  readonly type: 'Normal' | 'Warning'
  readonly series?: { readonly count: number; readonly lastObservedTime: string }
}

/** The object that an event is about. */
export interface EventTarget {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** Left out for an object without one; its events are in `default`. */
  readonly namespace?: string
  readonly uid?: string
}

export const EVENTS: ResourceType<KubeEvent> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
}

/** The API server refuses longer ones. */
export const MAX_NOTE_CHARS = 1_024
export const MAX_REASON_CHARS = 128
