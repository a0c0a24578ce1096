/** A Kubernetes API client for controllers: requests, list and watch, work queue, leader election, events. */
export { Backoff, type BackoffOptions } from './backoff.ts'
export { type Clock, delay, systemClock } from './clock.ts'
export type { Connection } from './connection/contract.ts'
export { fromKubeconfig, type Kubeconfig, type KubeconfigOptions } from './connection/kubeconfig.ts'
export { fromServiceAccount, type ServiceAccountOptions } from './connection/service-account.ts'
export { type ElectionTiming, LeaderElection, type LeaderElectionOptions } from './election/leader-election.ts'
export type { EventTarget } from './events/event.ts'
export { type EventInput, EventRecorder, type EventRecorderOptions } from './events/event-recorder.ts'
export type { ListRequest, Selection } from './list/list-objects.ts'
export {
  apiVersionOf,
  type KubeObject,
  keyOf,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  type ResourceType,
  refOf,
} from './objects.ts'
export { type Controller, type ControllerOptions, type ReconcileResult, startController } from './queue/controller.ts'
export { TokenBucket, type TokenBucketOptions } from './queue/token-bucket.ts'
export { WorkQueue, type WorkQueueHooks, type WorkQueueOptions } from './queue/work-queue.ts'
export { KubeClient, type KubeClientOptions } from './rest/client.ts'
export { isKubeError, isTransient, type KubeCause, KubeError, type KubeErrorCode } from './rest/kube-error.ts'
export type {
  ApplyOptions,
  DeleteOptions,
  JsonPatchOperation,
  Patch,
  RequestOptions,
  RequestReport,
  Verb,
  WriteOptions,
  Written,
} from './rest/request-options.ts'
export { Informer, type InformerListener, type InformerOptions } from './watch/informer.ts'
export type { Strip } from './watch/object-store.ts'
export { Reflector, type ReflectorListener, type ReflectorOptions, type ReflectorTiming } from './watch/reflector.ts'
