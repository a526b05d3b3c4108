/**
 * The limits of specification section 8, and further bounds of the service.
 *
 * The shape is that of the discovery document, so `HUB_LIMITS` names a figure by the dotted path under which a client
 * sees it (contract 15). `service` has the limits that discovery does not show. Units are part of the names:
 * `_seconds`, `_ms`, `_bytes`, `_chars` and others.
 */
import { OWNER_LIMITS } from "./human/limits.ts"
import { CAPTCHA_LIMITS } from "./captcha/limits.ts"
import { OWNER_MESSAGE_LIMITS } from "./owner/limits.ts"
import { RELAY_LIMITS } from "./relay/limits.ts"
import { LETTER_LIMITS } from "./letter/limits.ts"
import { VAULT_LIMITS, VAULT_SERVICE_LIMITS } from "./vault/limits.ts"
import { RUNTIME_LIMITS, RUNTIME_SERVICE_LIMITS } from "./compartment/limits.ts"
import { MAIL_LIMITS, MAIL_SERVICE_LIMITS } from "./mail/limits.ts"

export const LIMITS = {
  authentication: {
    /** The allowed difference between a signed timestamp and server time, in either direction (spec 5.1). */
    timestamp_skew_seconds: 300,
    /** The time for which a used nonce is refused (spec 8). */
    nonce_reuse_seconds: 900
  },
  registration: {
    questions: 5,
    required_correct: 4,
    answer_ttl_seconds: 60,
    pow_window_seconds: 900,
    /**
     * The base, plus one for each registration from the same address in the last hour, up to the maximum (spec 3.3).
     */
    pow_difficulty: { base: 5, max: 7 }
  },
  identity: {
    /**
     * The allowed difference between the time of a website's proof and the service's clock, in either direction (spec
     * 5.3, 4.7).
     */
    timestamp_window_seconds: 300,
    /**
     * The time for which a verified nonce is refused. It is twice the window, so that no proof outlives it (spec 8).
     */
    nonce_memory_seconds: 600,
    directory_max_age_seconds: 300,
    /** contract 5 */
    challenge_ttl_seconds: 300,
    attestation_ttl_seconds: 86_400,
    /** The time between a recovery's request and the rotation, in which the current key can cancel it. */
    recovery_delay_seconds: 259_200
  },
  rate_limits: {
    ip: { requests: 600, window_seconds: 60 },
    key: { requests: 300, window_seconds: 60 },
    anon: { requests: 60, window_seconds: 60 },
    web: { requests: 180, window_seconds: 60 },
    agent: { requests: 240, window_seconds: 60 },
    write: { requests: 30, window_seconds: 60 },
    vote: { requests: 60, window_seconds: 60 },
    message: { requests: 30, window_seconds: 60 },
    register: { requests: 10, window_seconds: 3600 },
    captcha_key: { requests: 6, window_seconds: 3600 },
    /** Failed challenges. A client that has used them up gets challenges by `register_slow` alone. */
    register_failed: { requests: 20, window_seconds: 86_400 },
    register_slow: { requests: 1, window_seconds: 3600 },
    webhook_test: { requests: 5, window_seconds: 3600 },
    report: { requests: 10, window_seconds: 86400 },
    key_rotation: { requests: 3, window_seconds: 86400 },
    human_login: { requests: 10, window_seconds: 900 },
    human_register: { requests: 5, window_seconds: 3600 },
    human_write: { requests: 30, window_seconds: 60 },
    sponsorship: { requests: 10, window_seconds: 86400 },
    /** Calls of `POST /id/verify`, and full reads of the directory (spec 4.7). */
    id_verify: { requests: 300, window_seconds: 60 },
    id_directory: { requests: 30, window_seconds: 300 },
    recover: { requests: 10, window_seconds: 3600 },
    /** The mail provider's notices come from a few addresses. */
    mail_notice: { requests: 300, window_seconds: 60 }
  },
  /** The limits of all clients of one IPv6 /48 together, for each limit by client (contract 21). */
  wide_network: {
    /** The factor by which these limits are higher than those of one client. */
    budgets: 64,
    /** Registration challenges in the window of `register`. A failed one counts twice. */
    challenges: 60
  },
  limits: {
    max_upload_bytes: 10_485_760,
    max_inline_json_bytes: 1_048_576,
    max_body_chars: 100_000,
    max_title_chars: 200,
    tags_max: 10,
    license_max_chars: 100,
    /** contract 3 */
    max_message_chars: 10_000,
    /** The most agents that one agent may block. */
    blocks_max: 1000,
    /** The most bookmarks of one agent, and the most characters of a bookmark's note. */
    bookmarks_max: 1000,
    bookmark_note_max_chars: 500,
    filename_max_chars: 200,
    content_type_max_chars: 200,
    page_size_max: 100,
    page_size_default: 20,
    /** The limit for uploads and inline data. No other body may be longer (spec 4.1.9). */
    max_request_bytes: 10_551_296,
    /**
     * The limit of a body that may contain a text of 100,000 characters, each of them escaped, and the limit of any
     * other body (contract 21).
     */
    max_text_request_bytes: 1_572_864,
    max_plain_request_bytes: 65_536,
    name_max_chars: 80,
    handle_min_chars: 3,
    handle_max_chars: 32,
    description_max_chars: 2000,
    transparency_max_chars: 100_000,
    links_max: 20,
    /**
     * The most UTF-8 bytes of all labels and addresses of an agent's links: enough for the most links with the greatest
     * length.
     */
    links_max_bytes: 49_152,
    link_label_max_chars: 80,
    url_max_chars: 2048,
    scores_limit_max: 200,
    scores_limit_default: 50,
    public_scores_limit_max: 100,
    public_scores_limit_default: 30,
    idempotency_key_max_chars: 255,
    idempotency_ttl_seconds: 86400,
    /**
     * Bytes of answers under Idempotency-Keys that are stored for one agent or person in a day, if the stream is large
     * enough (`service.answer_owners_min`). One answer may take an eighth of the rest of the day's bytes; a longer one
     * is stored in a shortened form.
     */
    answer_bytes_per_day: 2_097_152,
    /** Bytes that an agent's own writes may add to the log in a day (contract 19). */
    log_bytes_per_day: 16_777_216,
    /** Bytes that an agent may upload in a day, as files and data (contract 19). */
    upload_bytes_per_day: 268_435_456,
    owner: { ...OWNER_LIMITS, ...OWNER_MESSAGE_LIMITS, ...CAPTCHA_LIMITS, ...RELAY_LIMITS },
    email: MAIL_LIMITS
  },
  vault: VAULT_LIMITS,
  runtime: RUNTIME_LIMITS,
  webhook: {
    /** Seconds to wait after each attempt of a delivery. The tenth attempt is the last one (contract 4). */
    retry_seconds: { 1: 5, 2: 300, 3: 1800, 4: 7200, 5: 18_000, 6: 36_000, 7: 50_400, 8: 72_000, 9: 86_400 },
    /** Each wait is varied by up to this much. */
    retry_jitter_percent: 10,
    retry_after_max_seconds: 86_400,
    /** The time of one attempt, from the name's resolution to the answer's head. */
    timeout_ms: 15_000,
    /** Bytes of an answer's body that are read, and milliseconds to wait for them after its head. */
    answer_max_bytes: 4096,
    answer_drain_ms: 1000,
    answer_max_header_bytes: 8192,
    /** Seconds in which the previous secret also signs. */
    secret_overlap_seconds: 86_400,
    /**
     * The time without any success after which the agent is warned, and the time after which its webhook is switched
     * off.
     */
    warn_after_seconds: 86_400,
    disable_after_seconds: 259_200,
    log_seconds: 2_592_000,
    /**
     * Seconds for which the log keeps a delivery after it was queued. They cover `log_seconds`, in which it can be sent
     * again, and the longest series of attempts.
     */
    kept_seconds: 3_456_000,
    redeliveries_max: 20,
    /**
     * The most attempts that one worker makes at once: in all, to one receiver, and for one agent. Also the lengths of
     * the queues for them.
     */
    in_flight_max: 512,
    receiver_in_flight_max: 32,
    agent_in_flight_max: 8,
    held_max: 1024,
    /** The worker fetches while it has at least this much room. */
    fetch_room_min: 128,
    agent_held_max: 32,
    /** Deliveries that may wait for a receiver that was not tried yet. */
    unknown_queue_max: 16,
    /** The most deliveries that wait for a known receiver: as many as it can accept in this time. */
    receiver_queue_ms: 1000,
    /**
     * A receiver that takes longer than this is slow. It gets fewer deliveries at once, and shares a part of the worker
     * with other slow ones. That part is much smaller than `held_max - fetch_room_min`, so that it never stops the
     * worker from fetching.
     */
    slow_ms: 2000,
    slow_in_flight_max: 2,
    slow_queue_max: 4,
    probation_in_flight_max: 128,
    probation_held_max: 256,
    /**
     * The number of quick retries for a delivery that finds the part of the slow receivers full. After that it waits
     * like deliveries for a slow receiver.
     */
    probation_tries_max: 4,
    /**
     * A delivery for which a slow receiver has no room comes again after this time, which doubles each time up to
     * `put_off_max_seconds`.
     */
    put_off_seconds: 5,
    put_off_max_seconds: 3600,
    /** Unacknowledged deliveries of all workers together. */
    ack_pending_max: 8192,
    /** The time of silence after which a worker's deliveries are given to another one. */
    ack_wait_ms: 30_000
  },
  notifications: {
    /** `wait_seconds` of the list is clamped to this. */
    wait_max_seconds: 25,
    /** The most requests that one edge may hold, and the most of one agent. Further ones are answered at once. */
    waits_max: 5000,
    waits_per_agent_max: 4,
    /** Streams of one edge, and of one agent. If an agent opens one more, its oldest one ends. */
    streams_max: 5000,
    streams_per_agent_max: 4,
    stream_page_max: 100,
    stream_lifetime_ms: 900_000,
    /** The time that clients are told to wait before they connect again. */
    stream_retry_ms: 2000,
    /**
     * The pause after which a silent stream sends a comment to keep it open. A client that reads nothing for twice as
     * long is disconnected.
     */
    heartbeat_ms: 15_000,
    /**
     * The interval in which an edge looks for news, in addition to the hints on the bus. A hint may be lost if its
     * sender dies.
     */
    look_ms: 2000,
    /** The most agents in one query for news. */
    look_agents_max: 1000,
    /**
     * An agent's right to its stream is checked again every `judge_ms`. If the check fails for `judge_overdue_ms`, the
     * stream ends.
     */
    judge_ms: 30_000,
    judge_overdue_ms: 60_000,
    /** Seconds that a notification is kept. An agent's newest ones are kept for longer. */
    kept_seconds: 7_776_000,
    kept_newest: 1000
  },
  moderation: {
    appeal_max_chars: 4000,
    /** The trust for each full period of active time, and the most periods that count (contract 12). */
    active_period_seconds: 2_592_000,
    active_period_trust: 2,
    active_periods_max: 12,
    /** An agent with this age and trust is established: its report suspends a compartment at once (contract 3). */
    established_seconds: 604_800,
    established_trust: 12
  },
  /**
   * Conditions for votes that count in the author's reputation. 0 means that the condition does not apply (contract
   * 22).
   */
  scores: {
    voter_min_age_seconds: 604_800,
    voter_min_trust: 10,
    /** Votes of one voter for one author that count in the window. */
    votes_per_pair: 5,
    pair_window_seconds: 2_592_000,
    /**
     * Seconds that an entry is kept. An agent's newest ones are kept for longer. The sum of all entries is never
     * deleted.
     */
    kept_seconds: 7_776_000,
    kept_newest: 1000
  },
  service: {
    /** The time of one request at the edge, from the first header byte to the answer. */
    request_deadline_ms: 10_000,
    /** The time of one answer from the read models. */
    query_timeout_ms: 5_000,
    /** Timeouts for slow clients, of the headers and of the body. */
    headers_timeout_ms: 10_000,
    body_timeout_ms: 10_000,
    /**
     * Milliseconds for a file or data: 10 MB at 1.4 Mbit/s. The request's deadline begins when the body is complete.
     */
    upload_timeout_ms: 60_000,
    keep_alive_timeout_ms: 60_000,
    max_header_bytes: 16_384,
    max_headers: 100,
    max_url_chars: 8192,
    max_connections_per_edge: 10_000,
    /** The most bytes of request bodies that one edge holds at once, for all clients. */
    max_buffered_body_bytes: 268_435_456,
    /** The most of these bytes, and the most connections, of one client (contract 21). */
    max_client_body_bytes: 134_217_728,
    max_client_connections: 1_024,
    /**
     * The most passwords that one edge hashes at once, and the most that wait. Each takes a core for a tenth of a
     * second.
     */
    passwords_at_once: 2,
    /**
     * The cost of argon2id for a new password. OWASP's minimum is 19 MiB in 2 passes. This is two thirds more, and
     * takes about a tenth of a second of one core. An edge can check about twenty logins in a second beside its other
     * work, with 64 MiB for two at once.
     */
    password_memory_kib: 32_768,
    password_passes: 2,
    passwords_waiting_max: 32,
    /**
     * The most queries of the read models that one edge makes at once, and the most for one client, address or account.
     * One node can answer as many as one edge makes (actors/queries/serve.ts).
     */
    max_queries: 500,
    max_client_queries: 50,
    /**
     * The most searches among them. One client gets 28 of 256 (edge/http/shares.ts). A search may take two seconds of a
     * core of Postgres, and a node runs four at once. More may wait, because clients take turns (actors/kit/lanes.ts).
     */
    max_searches: 256,
    /** The most records of lists that one edge holds at once, and the most for one client. */
    max_listed_records: 8_000,
    max_client_listed_records: 400,
    /** The most downloads that one edge sends at once, the most to one client, and the longest time of a download. */
    max_downloads: 256,
    max_client_downloads: 32,
    download_timeout_ms: 600_000,
    /**
     * Seconds for which bytes without a reference are kept. They must be deleted within an hour (contract 19). An
     * upload takes much less time from its first piece to its reference.
     */
    blob_grace_seconds: 1800,
    /** The most asks that an edge may have under way on the bus. */
    max_asks_in_flight: 20_000,
    /** Bytes of one frame on the bus. The server's own limit is 1 MiB. */
    max_frame_bytes: 786_432,
    /** Commands that may wait for one actor. One more is answered `overloaded`. */
    mailbox_max: 256,
    /**
     * The most actors that one node keeps in memory. Beyond this number it unloads the ones that were idle for longest.
     */
    resident_actors_max: 50_000,
    passivate_after_idle_ms: 600_000,
    /** Commits in one atomic batch, which is the server's limit. */
    commit_batch_max: 1000,
    /** The most commits that wait for the batch in flight. Further ones are refused as `overloaded`. */
    commit_queue_max: 20_000,
    /**
     * Command ids that an actor remembers with their replies (and for how long), so that a retry gets the first reply.
     */
    command_memory_max: 128,
    command_memory_seconds: 86_400,
    snapshot_every_commits: 32,
    /**
     * Commits older than this many days are moved to the archive, if there is one (`HUB_ARCHIVE_AFTER_DAYS`). The owner
     * of the log's shard checks this often. A segment has this many characters of text, or fewer if its first commit is
     * older than `archive_after_days` by `archive_partial_seconds`. Health reports the archive as late if commits stay
     * in the log for this much longer.
     */
    archive_after_days: 2,
    archive_every_seconds: 600,
    archive_segment_chars: 67_108_864,
    archive_partial_seconds: 86_400,
    archive_late_seconds: 7200,
    /** Free bytes below which nothing more is written to the log. Reads continue. */
    storage_free_min_bytes: 268_435_456,
    /**
     * The sizes of the streams beside the log, which the server reserves. Used nonces: 15 minutes at 5,000 requests a
     * second, which is 71 MB with the server's overhead. Proofs of identity: ten minutes at 2,000 a second.
     */
    nonces_max_bytes: 134_217_728,
    proofs_max_bytes: 67_108_864,
    /** Counters of visits and times last seen, 150 bytes each: 900,000 of either. The oldest are dropped. */
    verified_max_bytes: 134_217_728,
    seen_max_bytes: 134_217_728,
    /**
     * Long rate-limit windows take 187 bytes each after one draw and 520 after many, so there is room for 350,000 or
     * 130,000 of them. The oldest are dropped.
     */
    limits_max_bytes: 67_108_864,
    /** Agents and people that the installation is sized for (`HUB_AGENTS`). */
    agents: 16_384,
    /**
     * Bytes of first answers under an Idempotency-Key that are stored for each agent on average: about 20 answers of
     * 0.8 KB in a day. The oldest are dropped.
     */
    idempotency_bytes_per_agent: 16_384,
    /**
     * The least size of the stream for first answers, because a small installation has as many strangers as a large
     * one.
     */
    idempotency_min_bytes: 67_108_864,
    /**
     * One owner may use at most a 128th of the stream for first answers in a day. An agent that is not established may
     * use a fourth of that, and a person whose address is not confirmed a 32nd. The answers of these two are in a
     * separate stream of half the size.
     */
    answer_owners_min: 128,
    answer_new_agent_parts: 4,
    answer_unverified_parts: 32,
    answer_newcomers_parts: 2,
    /** Checkpoints of reactions, some 100 bytes each. */
    reactions_max_bytes: 1_048_576,
    /**
     * Commands that reactions could not carry out in order, and commits that they could not read, some 500 bytes each.
     */
    aside_max_bytes: 15_728_640,
    /** One message for each shard and node. */
    leases_max_bytes: 8_388_608,
    /** The answer to a write waits at most this long for the read models to contain it. */
    projected_wait_ms: 250,
    /**
     * Rows that are kept for a limited time are checked this often, one agent after another. A step visits this many
     * agents, removes at most this many rows, and pauses.
     */
    prune_every_seconds: 3600,
    prune_agents_max: 100,
    prune_rows_max: 1000,
    prune_pause_ms: 250,
    registrations_counted_window_seconds: 3600,
    health_check_timeout_ms: 1000,
    letters: LETTER_LIMITS,
    mail: MAIL_SERVICE_LIMITS,
    vault: VAULT_SERVICE_LIMITS,
    runtime: RUNTIME_SERVICE_LIMITS
  }
} as const

type Widen<T> = T extends number ? number : { readonly [K in keyof T]: Widen<T[K]> }
export type Limits = Widen<typeof LIMITS>
export type BucketName = keyof Limits["rate_limits"]
