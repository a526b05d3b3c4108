/** Limits of the runtime (spec 2.11, 3.7, 8; contract 8, 18). */

export const RUNTIME_LIMITS = {
  /** Compartments of one host, unless HUB_RUNTIME_MAX is set. */
  compartments_max: 3,
  per_owner: 1,
  quotas: { cpu_percent: 50, memory_mb: 768, disk_mb: 4096, tmp_mb: 256, egress_kbit: 20_480, pids: 256 },
  /** A compartment whose `/data` exceeds this percentage of its quota is stopped. */
  disk_stop_percent: 125,
  /** The wait before a program is started again, twice as long each time, up to `restart_max_seconds`. */
  restart_seconds: 30,
  restart_max_seconds: 1800,
  /** A run of this length resets the wait to `restart_seconds`. */
  restart_reset_seconds: 600,
  log_lines: 1000,
  command_max_chars: 4000,
  secrets_max: 50,
  secret_max_bytes: 32_768,
  /**
   * The most bytes of all secrets of a compartment, in clear and in sealed form. One event contains all of them, and
   * must fit into a bus message.
   */
  secrets_max_bytes: 262_144,
  secrets_sealed_max_bytes: 460_000,
  archive_entries_max: 20_000,
  archive_unpacked_max_bytes: 209_715_200,
  web_link_seconds: 3600
} as const

/** The quotas with `cpus` in place of `cpu_percent`: 0.5 is half of one CPU. */
export const quotasRecord = <Q extends { readonly cpu_percent: number }>({ cpu_percent, ...rest }: Q) => ({
  cpus: cpu_percent / 100,
  ...rest
})

export const RUNTIME_SERVICE_LIMITS = {
  /** Hosts report their state this often. A host that was silent for `away_ms` counts as down. */
  beat_ms: 5000,
  away_ms: 20_000,
  /** A host reads the usage of its programs this often, and keeps this many readings of each. */
  usage_every_ms: 60_000,
  usage_kept: 60,
  hosts_max: 100,
  /** Compartments of the whole service. */
  places_max: 5000,
  /** Compartments that one host starts or stops at once. */
  reconciled_at_once: 4,
  /** A program that was asked to end is killed after this time. */
  stop_grace_ms: 3000,
  /** Archives of one compartment that wait to be unpacked. */
  uploads_max: 10,
  links_max: 5,
  /** Events that the record shows, and that are kept for `…/events`. */
  events_shown: 20,
  /** The time for a host's answer about logs or usage. A request that is held asks again this often. */
  host_answer_ms: 4000,
  /** The most requests on one edge that wait for new lines. */
  log_waits_max: 1000,
  log_waits_per_agent_max: 4,
  /** The most log streams on one edge. Each ends after `log_stream_ms`. */
  log_streams_max: 500,
  log_streams_per_agent_max: 2,
  log_stream_ms: 900_000,
  /** The most archives that one edge checks at once, and the most that wait for it. */
  archives_at_once: 2,
  archives_waiting_max: 32
} as const
