/** Limits of the mail service (spec 8; contract 20), with their paths in discovery's `limits.email`. */
export const MAIL_LIMITS = {
  /** The whole size of a received message. */
  message_max_bytes: 10_485_760,
  attachments_kept_max: 10,
  attachment_max_bytes: 5_242_880,
  /** The most bytes of a message's text, and of its HTML, in UTF-8. */
  body_max_bytes: 262_144,
  mailbox_max_bytes: 104_857_600,
  /** Bytes in all mailboxes of an agent. */
  agent_max_bytes: 209_715_200,
  inbound_per_day: 500,
  /** Messages that a mailbox's own rules drop. They do not count in `inbound_per_day`. */
  dropped_per_day: 2000,
  /** Bytes in all mailboxes of the server. */
  stored_max_bytes: 2_147_483_648,
  /** The least free space of the disk. With less, no mail is accepted. */
  free_disk_min_bytes: 536_870_912,
  retention_seconds: 7_776_000,
  /** Seconds after a ban until the agent's mailboxes are closed and their mail is erased. */
  banned_kept_seconds: 2_592_000,
  /**
   * Mail to `postmaster@`: the most messages that one mail process accepts in a day, their size, and the most that are
   * kept if they are not forwarded.
   */
  postmaster: { per_day: 200, message_max_bytes: 1_048_576, kept_max: 500, kept_seconds: 2_592_000 },
  mailboxes_per_agent: 10,
  label_max_chars: 80,
  block_senders_max: 200,
  allow_senders_max: 200,
  tag_max_chars: 40,
  tag_max_seconds: 31_536_000,
  /** Tags that have not ended. */
  tags_per_mailbox: 100,
  /** Tags that an agent chose, including those that have ended, which are remembered so that they can be refused. */
  tags_chosen_max: 500,
  codes_minutes_default: 30,
  codes_minutes_max: 1440,
  /** The most messages in one answer. */
  codes_messages_max: 50,
  /** Recipients of one message: to, cc and bcc. */
  recipients_max: 10,
  subject_max_chars: 200,
  /** The most bytes of a sent message's text, and of its HTML. */
  send_body_max_bytes: 262_144,
  send_attachments_max: 10,
  /** Bytes of all attachments together. */
  send_attachments_max_bytes: 5_242_880,
  /** The most recipients of one agent. */
  send_per_hour: 20,
  send_per_day: 50,
  /** The most recipients of a new agent in a day. */
  first_week_per_day: 10,
  first_week_seconds: 604_800,
  /** The most recipients at other services, of all agents in a day. */
  service_per_day: 180,
  /** The percentage of `service_per_day` that is reserved for established agents (contract 3). */
  service_reserved_percent: 40,
  /** The most that one agent may use in a day, as a percentage of what the others have left of `service_per_day`. */
  service_agent_percent: 40,
  /** Days in which an agent's and the service's bounces and complaints count. */
  window_days: 30,
  bounce_suspension_percent: 5,
  bounce_suspension_min: 3,
  complaint_suspension_min: 1,
  pause_bounce_percent: 4,
  pause_complaint_permille: 1,
  pause_recipients_min: 50,
  /** Seconds to wait after each attempt that failed temporarily. The attempt after the last wait is the final one. */
  queue_retry_seconds: { 1: 60, 2: 300, 3: 900, 4: 3600, 5: 14_400, 6: 28_800, 7: 43_200, 8: 86_400, 9: 86_400 },
  domains_per_agent: 1,
  domain_declarations_per_day: 3,
  /** Seconds between two checks of an active domain. */
  domain_check_seconds: 86_400,
  /** Seconds for which records of a domain may be missing before it is pending again. */
  domain_grace_seconds: 259_200,
  /** Seconds that a domain without a mailbox may be claimed without proof. */
  domain_claim_seconds: 259_200
} as const

/**
 * Further bounds of the mail service, most of them on the work that strangers can cause. Discovery does not show them.
 */
export const MAIL_SERVICE_LIMITS = {
  /**
   * The share of a mailbox's messages and bytes that is kept for allowed senders and for addresses that its agent has
   * written to.
   */
  reserved_percent: 20,
  /** The most that one sender's domain may use of a mailbox's day, in percent of messages and bytes. */
  domain_percent: 50,
  /** The most that all senders whose mail does not pass DMARC may use together. */
  unproven_percent: 60,
  /**
   * The most that one newcomer may use, that all newcomers may use together, and that newcomers and unproven senders
   * may use together. A newcomer is a domain that passes DMARC and whose first mail was accepted less than a day ago.
   */
  newcomer_percent: 20,
  newcomers_percent: 60,
  unestablished_percent: 70,

  connections_max: 256,
  /** The most connections of an IPv4 address or an IPv6 /64, and of an IPv6 /48. */
  connections_per_client_max: 4,
  connections_per_wide_max: 32,
  /** The most recipients of one message. */
  recipients_max: 50,
  /** The most recipients without a mailbox in a minute: of an IPv4 address or an IPv6 /64, and of an IPv6 /48. */
  unknown_recipients_per_client_max: 60,
  unknown_recipients_per_wide_max: 480,
  /** The longest time without a word from the other side, and without a command that makes progress. */
  idle_ms: 60_000,
  /** The longest time of a connection, the longest time of one message in it, and the most commands. */
  session_ms: 300_000,
  data_ms: 180_000,
  commands_max: 1000,
  /** The most bytes of messages held at once, over all connections. A message without room is refused for now. */
  held_max_bytes: 67_108_864,
  /** The parts in which one message may arrive. A part ends with its packet, and before each dot that begins a line. */
  pieces_max: 100_000,
  /**
   * Threads that parse and judge messages. The messages that each works on at once, most of which wait for DNS. The
   * messages that wait.
   */
  threads: 2,
  thread_jobs_max: 128,
  threads_waiting_max: 256,
  /** The processor time of a message, for parsing and for judging. A message that takes more is stored as it is. */
  thread_cpu_ms: 2000,
  /** The time for a thread to start, on a busy machine. */
  thread_start_ms: 30_000,
  thread_heap_mb: 192,
  /**
   * Bounds for scans by HUB_CLAMD and HUB_RSPAMD_URL: milliseconds for a message, messages at once, and messages that
   * wait.
   */
  scan_ms: 20_000,
  scans_at_once: 8,
  scans_waiting_max: 64,
  depth_max: 20,
  headers_max_bytes: 262_144,
  /** The most lines of a message that is read. 10 MB of base64 have fewer. */
  lines_max: 150_000,
  links_max: 200,
  /**
   * Parts of a message were stored, and the outcome of its commit is unknown. After this time it is checked whether the
   * message exists. The most messages that wait for this, and the most checks of one message.
   */
  doubt_ms: 300_000,
  doubts_max: 1024,
  doubt_looks_max: 5,
  /** The words of a message that search finds. */
  words_max: 300,
  /** The most rows that are read for codes of one sender: more than a mailbox accepts in a day. */
  codes_rows_max: 600,
  /** Attempts to send that one process makes at once, and the most that wait in it. */
  sends_at_once: 16,
  sends_held_max: 64,
  /** One agent may use a quarter of `sends_at_once` and `sends_held_max`, and one domain of recipients a half. */
  sends_at_once_of_sender: 4,
  sends_at_once_to_domain: 8,
  sends_held_of_sender: 16,
  sends_held_to_domain: 32,
  /** The most sendings that all processes have under way. */
  sends_pending_max: 1024,
  /** The time of one attempt, from the connection to the answer. */
  send_timeout_ms: 60_000,
  /** An attempt without a sign of progress for this long is given to another process. */
  send_ack_wait_ms: 30_000,
  /** The port of other servers. */
  mx_port: 25,
  mx_hosts_max: 5,
  /** Milliseconds that the answer to an agent waits for the outcome of the first attempt. */
  send_answer_ms: 3000,
  /** Bytes that are read of a mail server's report. */
  report_max_bytes: 262_144,
  /** The time for all DNS queries that the verdicts on one message need. */
  verdict_ms: 4000,
  verdict_questions_max: 100,
  dns_query_ms: 1500,
  /** The time of all DNS queries about one domain of an agent. */
  domain_check_ms: 5000,
  /** Domains that a node checks at once: of those that are declared, and of those that are active. */
  domain_checks_max: 32,
  /**
   * If the provider fails to delete a domain, the request is repeated with growing pauses between these bounds. It is
   * given up after `forget_give_up_seconds`.
   */
  forget_again_ms: 60_000,
  forget_again_max_ms: 86_400_000,
  forget_give_up_seconds: 604_800,
  /** Records of one DNS answer that are examined, and bytes of each. */
  dns_records_max: 50,
  dns_record_max_chars: 4096,
  /** The most aliases that are followed if a name server does not follow them. */
  dns_aliases_max: 4,
  /** A notification from the provider to an edge: its size, its age, and how far its time may be ahead of the clock. */
  notice_max_bytes: 307_200,
  notice_stale_seconds: 86_400,
  notice_ahead_seconds: 3600,
  /** The most notices that one edge accepts at a time. */
  notices_taking_max: 64,
  /**
   * A certificate of the provider: its size, the timeout for fetching it, fetches at once, and the most that are
   * cached.
   */
  certificate_max_bytes: 65_536,
  certificate_fetch_ms: 5000,
  certificate_fetches_max: 4,
  certificates_kept_max: 16,
  certificate_kept_seconds: 3600,
  /** Seconds for which the log keeps a notification: longer than the provider can send it again. */
  notice_kept_seconds: 259_200,
  /**
   * Notifications that one mail process carries out at once, and the most that all processes have without an answer.
   */
  notices_at_once: 4,
  notice_pending_max: 64,
  /** A notice without progress for this long is given to another worker. One attempt ends after the time below. */
  notice_ack_wait_ms: 30_000,
  notice_try_ms: 90_000,
  /** Milliseconds before failed work is repeated. Each pause is longer, until it is given up. */
  notice_again_ms: 2000,
  notice_again_max_ms: 1_800_000,
  notice_give_up_seconds: 172_800,
  /** Seconds after which unfinished work is given up, before the log forgets it. */
  notice_over_seconds: 255_600,
  /** The timeout of a call to the provider. */
  provider_connect_ms: 5000,
  provider_call_ms: 20_000,
  /** The timeout for fetching a message that the provider has stored. */
  object_fetch_ms: 30_000,
  /** The time after which a paused account is checked again. */
  provider_paused_seconds: 3600,
  /** Seconds between two checks of the account's state at the provider. */
  provider_account_seconds: 900
} as const
