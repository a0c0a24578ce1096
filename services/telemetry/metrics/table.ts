/**
 * Every metric of the product. Names are final Prometheus names; a counter ends in `_total`. Label values come from
 * closed sets of ours or from the configuration, never from what a client or a peer sends. `peer`, `backend` and `route`
 * are `namespace/name`.
 */
export const METRIC_TABLE = {
  // The N-PAMP link. Handshake frames count as soon as they are sent or taken; `peer` is `unknown` until it is known.
  causeway_frames_sent_total: counter('{frame}', 'N-PAMP frames handed to a transport.', ['peer']),
  causeway_frames_received_total: counter('{frame}', 'N-PAMP frames taken from a transport.', ['peer']),
  causeway_octets_sent_total: counter('By', 'Octets of N-PAMP frames handed to a transport.', ['peer']),
  causeway_octets_received_total: counter('By', 'Octets of N-PAMP frames taken from a transport.', ['peer']),
  causeway_frames_dropped_total: counter('{frame}', 'Received frames that were ignored, by reason.', ['reason']),
  causeway_connections_refused_total: counter('{connection}', 'Connections refused before a handshake, by reason.', [
    'reason',
  ]),
  causeway_handshakes_total: counter('{handshake}', 'Ended handshakes, by role (initiator, responder) and result.', [
    'role',
    'result',
  ]),
  causeway_handshake_duration_seconds: histogram('s', 'Time from connection to Established.', ['role'], 'fast'),
  causeway_dials_total: counter('{dial}', 'Ended attempts to open an association, by result.', ['peer', 'result']),
  causeway_associations_open: gauge('{association}', 'Established associations.', ['peer']),
  causeway_associations_closed_total: counter('{association}', 'Associations that ended, by reason.', [
    'peer',
    'reason',
  ]),
  causeway_key_updates_total: counter('{update}', 'Completed key updates, by who began them (local, remote).', [
    'initiator',
  ]),
  causeway_link_ops_ignored_total: counter('{operation}', 'LINK operations that are not known here.', []),
  causeway_extensions_ignored_total: counter('{extension}', 'HELLO extension maps and TLVs ignored, by reason.', [
    'reason',
  ]),

  // Exchanges. `side` says where this relay stands: edge, backend, mesh_out (towards a peer), mesh_in (from a peer).
  causeway_exchanges_total: counter('{exchange}', 'Ended exchanges, by side and outcome.', ['side', 'outcome']),
  causeway_exchanges_open: gauge('{exchange}', 'Exchanges that have not ended.', ['side']),
  causeway_exchange_duration_seconds: histogram(
    's',
    'Time from request to the end of its exchange.',
    ['side'],
    'calls',
  ),
  causeway_requests_unlabelled_total: counter(
    '{request}',
    'Requests of peers without the label that their method needs; they count as destructive.',
    ['side'],
  ),
  causeway_sessions_open: gauge('{session}', 'Legacy sessions that have not ended.', ['side']),
  causeway_sessions_ended_total: counter('{session}', 'Ended legacy sessions, by reason.', ['side', 'reason']),
  causeway_cancels_total: counter('{cancel}', 'Cancels across the mesh, sent and received, by what became of them.', [
    'direction',
    'result',
  ]),
  causeway_late_replies_total: counter('{reply}', 'Replies that came after their exchange had ended; dropped.', [
    'side',
  ]),
  causeway_notifications_dropped_total: counter('{notification}', 'Notifications not passed on, by reason.', [
    'reason',
  ]),
  causeway_events_dropped_total: counter(
    '{event}',
    'Events of legacy sessions that clients can no longer ask for, because newer ones needed the room.',
    [],
  ),
  causeway_notifications_refused_total: counter('{notification}', 'Notifications that a backend refused.', ['backend']),
  causeway_server_requests_answered_total: counter(
    '{request}',
    'Requests of a server that were answered here, because no client could be asked.',
    ['side'],
  ),
  causeway_service_parameters_dropped_total: counter('{parameter}', 'Service parameters not passed on, by reason.', [
    'reason',
  ]),
  causeway_line_ends_changed_total: counter(
    '{octet}',
    'CR and LF octets outside strings rewritten for SSE or stdio.',
    [],
  ),

  causeway_tool_labels_total: counter(
    '{label}',
    'Labels of tools/call that need attention: unknown_tool (no list named the tool, so it counts as destructive) and ' +
      'contradictory (a tool that is read only and destructive at once).',
    ['reason'],
  ),

  // HTTP.
  causeway_http_responses_total: counter('{response}', 'Answers of the MCP edge, by HTTP status.', ['status']),
  causeway_backend_responses_total: counter('{response}', 'Answers of backends, by HTTP status; 0: none came.', [
    'backend',
    'status',
  ]),
  causeway_backend_messages_dropped_total: counter(
    '{message}',
    'Messages on the streams of backends that were not passed on, by reason.',
    ['backend', 'reason'],
  ),

  // Servers that are processes.
  causeway_backend_processes: gauge('{process}', 'Processes of stdio backends that have not ended.', ['backend']),
  causeway_backend_process_starts_total: counter('{process}', 'Processes of stdio backends that were started.', [
    'backend',
  ]),
  causeway_backend_process_deaths_total: counter(
    '{process}',
    'Processes of stdio backends that ended unasked, or could not be started, by how.',
    ['backend', 'how'],
  ),

  // The operator. `controller` is a responsibility of it: identity, workload, certificates and so on.
  causeway_operator_leader: gauge('1', 'Whether this process is the one that works (1) or stands by (0).', []),
  causeway_operator_reconciles_total: counter('{reconcile}', 'Looks at one object, by result (ok, error).', [
    'controller',
    'result',
  ]),
  causeway_operator_reconcile_duration_seconds: histogram(
    's',
    'Time of one look at one object.',
    ['controller'],
    'fast',
  ),
  causeway_operator_queue_depth: gauge('{key}', 'Objects that wait to be looked at.', ['controller']),
  causeway_operator_requests_total: counter('{request}', 'Requests to the API server, by verb, resource and result.', [
    'verb',
    'resource',
    'code',
  ]),

  // The control plane. `kind` is that of a custom resource.
  causeway_control_plane_objects: gauge(
    '{object}',
    'Objects that are known, by kind and by whether relays are sent them (delivered, withheld, invalid, refused, foreign, not_delivered).',
    ['kind', 'state'],
  ),
  causeway_control_plane_streams_open: gauge('{stream}', 'Open configuration streams of relay instances.', []),
  causeway_control_plane_streams_total: counter('{stream}', 'Configuration streams, by what became of their Hello.', [
    'result',
  ]),
  causeway_control_plane_deltas_total: counter('{delta}', 'Answered changes of configuration, by result.', ['result']),
  causeway_control_plane_delta_duration_seconds: histogram(
    's',
    'Time from sending a change to the answer of the instance.',
    ['result'],
    'fast',
  ),
  causeway_control_plane_resources_sent_total: counter('{resource}', 'Resources in sent changes (upsert, removal).', [
    'operation',
  ]),
  causeway_control_plane_deltas_held_total: counter(
    '{delta}',
    'Changes that would remove most of what an instance has and waited for a fresh list.',
    [],
  ),
  causeway_control_plane_stale_sources_total: counter(
    '{list}',
    'Times that an instance had seen newer objects than this process.',
    [],
  ),
  causeway_control_plane_leading: gauge('{replica}', 'Whether this replica writes status: 1, or 0.', []),
  causeway_control_plane_requests_total: counter(
    '{request}',
    'Requests to the API server, by verb, resource and result; a watch counts when it ends.',
    ['verb', 'resource', 'code'],
  ),

  // Delivery of configuration, as a relay sees it.
  causeway_config_stale_seconds: gauge('s', 'Time for which no control plane has answered; 0 while one does.', []),
  causeway_config_connected: gauge('{stream}', 'Whether a control plane answers (1) or not (0).', []),
  causeway_config_streams_total: counter(
    '{stream}',
    'Attempts to get configuration from a control plane, by result (opened, failed).',
    ['result'],
  ),
  causeway_config_deltas_total: counter('{delta}', 'Changes of configuration that were sent, by what became of them.', [
    'result',
  ]),
  causeway_config_resources_refused: gauge('{resource}', 'Resources that are not in force as they were sent last.', []),
  causeway_config_log_bytes: gauge('By', 'Size of the log of configuration on the volume.', []),
} as const satisfies Readonly<Record<string, MetricRow>>

type MetricType = 'counter' | 'gauge' | 'histogram'

export interface MetricRow {
  readonly type: MetricType
  /** UCUM, as OpenTelemetry has it. */
  readonly unit: string
  readonly help: string
  readonly labels: readonly string[]
  /** Ascending upper bounds, of a histogram. */
  readonly buckets?: readonly number[]
}

export type MetricName = keyof typeof METRIC_TABLE
export type NameOf<Type extends MetricType> = {
  [Name in MetricName]: (typeof METRIC_TABLE)[Name]['type'] extends Type ? Name : never
}[MetricName]

/** The label values of one series of a metric. */
export type Labels<Name extends MetricName> = Readonly<Record<(typeof METRIC_TABLE)[Name]['labels'][number], string>>

function counter<const Label extends string>(unit: string, help: string, labels: readonly Label[]) {
  return { type: 'counter', unit, help, labels } as const
}

function gauge<const Label extends string>(unit: string, help: string, labels: readonly Label[]) {
  return { type: 'gauge', unit, help, labels } as const
}

function histogram<const Label extends string>(
  unit: string,
  help: string,
  labels: readonly Label[],
  scale: 'fast' | 'calls',
) {
  const buckets =
    scale === 'fast'
      ? [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
      : [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
  return { type: 'histogram', unit, help, labels, buckets } as const
}
