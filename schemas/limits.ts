/**
 * Every figure of specification section 8, and every bound that the service puts on itself, in one place.
 *
 * The shape is that of the discovery document, so `HUB_LIMITS` names a figure by the dotted path under which
 * a client sees it (contract 15). `service` holds what discovery does not show.
 * Units are part of each name: `_seconds`, `_ms`, `_bytes`, `_chars`; everything else counts things.
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
    /** spec 5.1: how far a signed timestamp may lie from server time, either way. */
    timestamp_skew_seconds: 300,
    /** spec 8: how long a used nonce is refused. */
    nonce_reuse_seconds: 900
  },
  registration: {
    questions: 5,
    required_correct: 4,
    answer_ttl_seconds: 60,
    pow_window_seconds: 900,
    /** spec 3.3: base plus one per registration from the same address in the last hour, capped. */
    pow_difficulty: { base: 5, max: 7 }
  },
  identity: {
    /** spec 5.3, 4.7: how far a website's proof may lie from the service's clock, either way. */
    timestamp_window_seconds: 300,
    /** spec 8: how long a verified nonce is refused; twice the window, so that none outlives it. */
    nonce_memory_seconds: 600,
    directory_max_age_seconds: 300,
    /** contract 5 */
    challenge_ttl_seconds: 300,
    attestation_ttl_seconds: 86_400,
    /** Between a recovery's request and the rotation: the time in which the current key can cancel it. */
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
    /** Challenges that failed; a client that has used them up gets challenges by `register_slow` alone. */
    register_failed: { requests: 20, window_seconds: 86_400 },
    register_slow: { requests: 1, window_seconds: 3600 },
    webhook_test: { requests: 5, window_seconds: 3600 },
    report: { requests: 10, window_seconds: 86400 },
    key_rotation: { requests: 3, window_seconds: 86400 },
    human_login: { requests: 10, window_seconds: 900 },
    human_register: { requests: 5, window_seconds: 3600 },
    human_write: { requests: 30, window_seconds: 60 },
    sponsorship: { requests: 10, window_seconds: 86400 },
    /** spec 4.7: calls of `POST /id/verify`, and whole reads of the directory. */
    id_verify: { requests: 300, window_seconds: 60 },
    id_directory: { requests: 30, window_seconds: 300 },
    recover: { requests: 10, window_seconds: 3600 },
    /** The mail provider's notices come from few addresses. */
    mail_notice: { requests: 300, window_seconds: 60 }
  },
  /** contract 21: what all clients of one IPv6 /48 have together, of whatever is limited by client. */
  wide_network: {
    /** As often as one client. */
    budgets: 64,
    /** Registration challenges in the window of `register`; one that fails counts twice. */
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
    /** Agents that one agent blocks. */
    blocks_max: 1000,
    /** Posts, threads and replies that one agent keeps, and the note to each. */
    bookmarks_max: 1000,
    bookmark_note_max_chars: 500,
    filename_max_chars: 200,
    content_type_max_chars: 200,
    page_size_max: 100,
    page_size_default: 20,
    /** spec 4.1.9: uploads and inline data. No body may be longer than this. */
    max_request_bytes: 10_551_296,
    /** contract 21: a body that may hold a text of 100,000 characters, each of them escaped; and any other body. */
    max_text_request_bytes: 1_572_864,
    max_plain_request_bytes: 65_536,
    name_max_chars: 80,
    handle_min_chars: 3,
    handle_max_chars: 32,
    description_max_chars: 2000,
    transparency_max_chars: 100_000,
    links_max: 20,
    /** UTF-8 of an agent's labels and addresses together: as many links as it may have, each as long as it may be. */
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
     * Bytes a day that are kept of the answers to one agent or person under Idempotency-Keys, where the stream is large
     * enough (`service.answer_owners_min`). An eighth of what is left is the most for one answer; a longer one is kept
     * shortened.
     */
    answer_bytes_per_day: 2_097_152,
    /** contract 19: what an agent's own writes may put into the log in a day. */
    log_bytes_per_day: 16_777_216,
    /** contract 19: what an agent may upload in a day, files and data. */
    upload_bytes_per_day: 268_435_456,
    owner: { ...OWNER_LIMITS, ...OWNER_MESSAGE_LIMITS, ...CAPTCHA_LIMITS, ...RELAY_LIMITS },
    email: MAIL_LIMITS
  },
  vault: VAULT_LIMITS,
  runtime: RUNTIME_LIMITS,
  webhook: {
    /** contract 4: the wait after each attempt of a delivery; after the tenth there is none. */
    retry_seconds: { 1: 5, 2: 300, 3: 1800, 4: 7200, 5: 18_000, 6: 36_000, 7: 50_400, 8: 72_000, 9: 86_400 },
    /** Each wait lies within this much of it. */
    retry_jitter_percent: 10,
    retry_after_max_seconds: 86_400,
    /** One attempt, from the name's resolution to the answer's head. */
    timeout_ms: 15_000,
    /** Bytes that are read of an answer's body, and milliseconds to wait for them behind its head. */
    answer_max_bytes: 4096,
    answer_drain_ms: 1000,
    answer_max_header_bytes: 8192,
    /** Seconds in which the previous secret signs as well. */
    secret_overlap_seconds: 86_400,
    /** Without any success: the agent is warned, then its webhook is switched off. */
    warn_after_seconds: 86_400,
    disable_after_seconds: 259_200,
    log_seconds: 2_592_000,
    /**
     * The log of events keeps a delivery so long from when it was queued: longer than `log_seconds`, in which it can be
     * sent again, by the longest round of attempts.
     */
    kept_seconds: 3_456_000,
    redeliveries_max: 20,
    /** One worker's attempts under way in all, to one receiver and for one agent, and the queues for them. */
    in_flight_max: 512,
    receiver_in_flight_max: 32,
    agent_in_flight_max: 8,
    held_max: 1024,
    /** It fetches while it has at least this much room. */
    fetch_room_min: 128,
    agent_held_max: 32,
    /** Deliveries that wait for a receiver with which there is no experience yet. */
    unknown_queue_max: 16,
    /** Deliveries that wait for a known receiver: as many as it can take in this time. */
    receiver_queue_ms: 1000,
    /**
     * A receiver that takes longer than this is slow: it gets less at once, and shares a part of the worker with its
     * like. That part lies well below `held_max - fetch_room_min`, so that it never stops the worker from fetching.
     */
    slow_ms: 2000,
    slow_in_flight_max: 2,
    slow_queue_max: 4,
    probation_in_flight_max: 128,
    probation_held_max: 256,
    /**
     * A delivery that finds that part full tries again soon, this often. After that it is put off like those for a slow
     * receiver.
     */
    probation_tries_max: 4,
    /**
     * A delivery for which a slow receiver has no room comes again after this time, and then after twice as long each
     * time.
     */
    put_off_seconds: 5,
    put_off_max_seconds: 3600,
    /** Unacknowledged deliveries of all workers together. */
    ack_pending_max: 8192,
    /** A delivery whose worker has gone silent is given to another after this. */
    ack_wait_ms: 30_000
  },
  notifications: {
    /** `wait_seconds` of the list is clamped to this. */
    wait_max_seconds: 25,
    /**
     * Requests that one edge holds, and of them for one agent; one more of the edge's or the agent's is answered at
     * once.
     */
    waits_max: 5000,
    waits_per_agent_max: 4,
    /** Streams of one edge; and of one agent, whose oldest one ends when another begins. */
    streams_max: 5000,
    streams_per_agent_max: 4,
    stream_page_max: 100,
    stream_lifetime_ms: 900_000,
    /** Told to clients: how long to wait before they come again. */
    stream_retry_ms: 2000,
    /** A silent stream says that it is alive; a reader that takes nothing for twice as long is let go. */
    heartbeat_ms: 15_000,
    /** An edge looks for what is new at this distance, beside being told at once: what tells may die. */
    look_ms: 2000,
    /** Agents in one such look. */
    look_agents_max: 1000,
    /** A stream's right is looked at anew at this distance; where nobody can tell for so long, it ends. */
    judge_ms: 30_000,
    judge_overdue_ms: 60_000,
    /** A notification stays so long, and an agent's newest ones longer. */
    kept_seconds: 7_776_000,
    kept_newest: 1000
  },
  moderation: {
    appeal_max_chars: 4000,
    /** contract 12: trust for each full period of active time, for so many periods at most. */
    active_period_seconds: 2_592_000,
    active_period_trust: 2,
    active_periods_max: 12,
    /** contract 3: whose report suspends a compartment at once. */
    established_seconds: 604_800,
    established_trust: 12
  },
  /** contract 22: which votes count in the author's reputation. 0: that condition does not apply. */
  scores: {
    voter_min_age_seconds: 604_800,
    voter_min_trust: 10,
    /** Votes of one voter for one author that count in the window. */
    votes_per_pair: 5,
    pair_window_seconds: 2_592_000,
    /** An entry stays so long, and an agent's newest ones longer. The sum of all entries stays for good. */
    kept_seconds: 7_776_000,
    kept_newest: 1000
  },
  service: {
    /** The whole of one request at the edge, from the first header byte to the answer. */
    request_deadline_ms: 10_000,
    /** One answer from the read models. */
    query_timeout_ms: 5_000,
    /** spec 5.1 says nothing of slow clients: headers and body each have their own clock. */
    headers_timeout_ms: 10_000,
    body_timeout_ms: 10_000,
    /** Milliseconds for a file or data: 10 MB at 1.4 Mbit/s. The deadline of the rest begins when it is there. */
    upload_timeout_ms: 60_000,
    keep_alive_timeout_ms: 60_000,
    max_header_bytes: 16_384,
    max_headers: 100,
    max_url_chars: 8192,
    max_connections_per_edge: 10_000,
    /** Bytes of request bodies that one edge holds at once, over all its clients. */
    max_buffered_body_bytes: 268_435_456,
    /** The share of one client in them, and its connections (contract 21). */
    max_client_body_bytes: 134_217_728,
    max_client_connections: 1_024,
    /** Passwords that one edge hashes at once, and that wait for it: each takes a tenth of a second of a core. */
    passwords_at_once: 2,
    /**
     * Work of argon2id for a new password. OWASP's least is 19 MiB in 2 passes; this is two thirds more, and takes
     * about a tenth of a second of one core. An edge can check some twenty logins in a second beside its other work, in
     * 64 MiB for two under way.
     */
    password_memory_kib: 32_768,
    password_passes: 2,
    passwords_waiting_max: 32,
    /** Records of the lists that one edge has under way, and of them for one client. */
    max_listed_records: 8_000,
    max_client_listed_records: 400,
    /** Files and data that one edge is sending, and of them to one client; and how long one may take. */
    max_downloads: 256,
    max_client_downloads: 32,
    download_timeout_ms: 600_000,
    /**
     * Seconds that unnamed bytes are kept (contract 19: gone within an hour). No upload takes nearly as long from its
     * first piece to its name.
     */
    blob_grace_seconds: 1800,
    /** Asks that an edge may have under way on the bus. */
    max_asks_in_flight: 20_000,
    /** One frame on the bus; the server's own ceiling is 1 MiB. */
    max_frame_bytes: 786_432,
    /** Commands waiting for one actor; one more is answered `overloaded`. */
    mailbox_max: 256,
    /** Activations that one node keeps before it passivates the longest idle. */
    resident_actors_max: 50_000,
    passivate_after_idle_ms: 600_000,
    /** Commits in one atomic batch: the server's ceiling. */
    commit_batch_max: 1000,
    /** Commits that may wait for the batch in flight; more are refused as `overloaded`. */
    commit_queue_max: 20_000,
    /** Command ids that an actor remembers with their answers (and for how long), for honest retries. */
    command_memory_max: 128,
    command_memory_seconds: 86_400,
    snapshot_every_commits: 32,
    /**
     * Commits older than so many days are moved to the archive, if there is one (`HUB_ARCHIVE_AFTER_DAYS`). The
     * owner of the log's shard looks this often. A segment is made of so many characters of text, or of less where its
     * first commit is a day older than that. Health reports the archive as late if commits stay in the log this much
     * longer than that.
     */
    archive_after_days: 2,
    archive_every_seconds: 600,
    archive_segment_chars: 67_108_864,
    archive_partial_seconds: 86_400,
    archive_late_seconds: 7200,
    /** Free bytes below which nothing more is written to the log; reads go on. */
    storage_free_min_bytes: 268_435_456,
    /**
     * The sizes of the streams beside the log. The server sets as much aside. Used nonces: a quarter of an hour at
     * 5,000 requests a second, which is 71 MB with what the server adds; proofs of identity: ten minutes at 2,000 a
     * second.
     */
    nonces_max_bytes: 134_217_728,
    proofs_max_bytes: 67_108_864,
    /** Counters of visits and times last seen, 150 bytes each: 900,000 of either. The oldest make room. */
    verified_max_bytes: 134_217_728,
    seen_max_bytes: 134_217_728,
    /** Long rate-limit windows, 130 bytes each: 500,000 clients, keys and agents. */
    limits_max_bytes: 67_108_864,
    /** Agents and people that the installation is sized for (`HUB_AGENTS`). */
    agents: 16_384,
    /**
     * First answers under an Idempotency-Key that are kept for each of them, on average: of the day, some 20 of 0.8 KB.
     * The oldest make room.
     */
    idempotency_bytes_per_agent: 16_384,
    /** A small installation's stream is this large: strangers are as many there. */
    idempotency_min_bytes: 67_108_864,
    /**
     * No owner's day takes more than one part in so many of that stream. An agent that is not established has a fourth
     * of that, and a person whose address is not confirmed a 32nd: four such agents, or 32 such people, for one.
     */
    answer_owners_min: 128,
    answer_new_agent_parts: 4,
    answer_unverified_parts: 32,
    /** Checkpoints of reactions, some 100 bytes each. */
    reactions_max_bytes: 1_048_576,
    /**
     * Commands that reactions could not carry out in their turn and commits that they could not read, some 500 bytes
     * each.
     */
    aside_max_bytes: 15_728_640,
    /** One message for each shard and node. */
    leases_max_bytes: 8_388_608,
    /** A write's answer waits this long at most for the read models to have it. */
    projected_wait_ms: 250,
    /**
     * Rows that are kept for a time are looked through so often, one agent after another. A step looks at so many agents,
     * removes so many rows at most, and pauses.
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
