/** Figures of the mail service (spec 8; contract 20): with their paths in discovery's `limits.email`. */
export const MAIL_LIMITS = {
  /** The whole size of a received message. */
  message_max_bytes: 10_485_760,
  attachments_kept_max: 10,
  attachment_max_bytes: 5_242_880,
  /** The bytes of the text, and of the HTML: UTF-8. */
  body_max_bytes: 262_144,
  mailbox_max_bytes: 104_857_600,
  /** Bytes in all mailboxes of an agent. */
  agent_max_bytes: 209_715_200,
  inbound_per_day: 500,
  /** Messages that a mailbox's own rules drop. They do not use up the places of received messages. */
  dropped_per_day: 2000,
  /** Bytes in all mailboxes of the server. */
  stored_max_bytes: 2_147_483_648,
  /** If less of the disk is free, no mail is accepted. */
  free_disk_min_bytes: 536_870_912,
  retention_seconds: 7_776_000,
  /** From a ban until the agent's mailboxes are closed and their mail is erased. */
  banned_kept_seconds: 2_592_000,
  /**
   * Mail to `postmaster@`: messages that one mail process accepts in a day, their size, and the number kept if they are
   * not forwarded.
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
  /** Messages in one answer. */
  codes_messages_max: 50,
  /** Recipients of one message: to, cc and bcc. */
  recipients_max: 10,
  subject_max_chars: 200,
  /** The bytes of a sent message's text, and of its HTML. */
  send_body_max_bytes: 262_144,
  send_attachments_max: 10,
  /** Bytes of all attachments together. */
  send_attachments_max_bytes: 5_242_880,
  /** Recipients of an agent. */
  send_per_hour: 20,
  send_per_day: 50,
  /** Messages a day of a new agent. */
  first_week_per_day: 10,
  first_week_seconds: 604_800,
  /** Recipients of all agents. */
  service_per_day: 180,
  /** This part of them is for agents that are established, as for reports (contract 3). */
  service_reserved_percent: 40,
  /** An agent's part of them is at most so many percent of what it leaves to all others. */
  service_agent_percent: 40,
  /** Over which an agent's and the service's bounces and complaints count. */
  window_days: 30,
  bounce_suspension_percent: 5,
  bounce_suspension_min: 3,
  complaint_suspension_min: 1,
  pause_bounce_percent: 4,
  pause_complaint_permille: 1,
  pause_recipients_min: 50,
  /** The wait after each attempt with a passing fault. After the last one there is none. */
  queue_retry_seconds: { 1: 60, 2: 300, 3: 900, 4: 3600, 5: 14_400, 6: 28_800, 7: 43_200, 8: 86_400, 9: 86_400 },
  domains_per_agent: 1,
  domain_declarations_per_day: 3,
  /** From one check of an active domain to the next. */
  domain_check_seconds: 86_400,
  /** Seconds that a domain may miss records before it is pending again. */
  domain_grace_seconds: 259_200,
  /** Seconds that a domain without a mailbox may be claimed without proof. */
  domain_claim_seconds: 259_200
} as const

/** Bounds on the work that strangers can cause in the mail process. Discovery does not show them. */
export const MAIL_SERVICE_LIMITS = {
  /**
   * The share of a mailbox's messages and bytes that is kept for allowed senders and for addresses that its agent has
   * written to.
   */
  reserved_percent: 20,
  /** The share of a mailbox's day, in messages and bytes, that one sender's domain may take. */
  domain_percent: 50,
  /** The share of all senders together that DMARC does not prove. */
  unproven_percent: 60,
  /**
   * The same, of what one newcomer may take, of what all newcomers take together, and of what newcomers and unproven
   * senders take together. A newcomer is a proven domain whose first mail was taken less than a day ago.
   */
  newcomer_percent: 20,
  newcomers_percent: 60,
  unestablished_percent: 70,

  connections_max: 256,
  /** An IPv4 address or an IPv6 /64; and an IPv6 /48. */
  connections_per_client_max: 4,
  connections_per_wide_max: 32,
  /** Recipients of one message. */
  recipients_max: 50,
  /** The longest time without a word from the other side, and without a command that makes progress. */
  idle_ms: 60_000,
  /** The longest time for a connection, and the part of it for one message; the most commands. */
  session_ms: 300_000,
  data_ms: 180_000,
  commands_max: 1000,
  /** The most bytes of messages held at once, over all connections. One more is refused for now. */
  held_max_bytes: 67_108_864,
  /** The parts in which one message may arrive. A part ends with its packet, and before each dot that begins a line. */
  pieces_max: 100_000,
  /**
   * Threads that read and judge messages; the messages that each has under way, most of which wait for DNS; and the
   * messages that wait.
   */
  threads: 2,
  thread_jobs_max: 128,
  threads_waiting_max: 256,
  /** A message that takes more of its thread, for reading or for judging, is kept as it is. */
  thread_cpu_ms: 2000,
  /** The time for a thread to start, on a busy machine. */
  thread_start_ms: 30_000,
  thread_heap_mb: 192,
  /**
   * Bounds on scans by HUB_CLAMD and HUB_RSPAMD_URL: milliseconds for a message, messages at once, and messages that
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
  /** After that no commit can come any more of a message of which nobody told; so many parts wait for it; and looks at one. */
  doubt_ms: 300_000,
  doubts_max: 1024,
  doubt_looks_max: 5,
  /** The words of a message that search finds. */
  words_max: 300,
  /** Rows that are read for codes of one sender: more than a mailbox takes in a day. */
  codes_rows_max: 600,
  /** Attempts to send that one process has under way, and that wait in it. */
  sends_at_once: 16,
  sends_held_max: 64,
  /** The part of these for one agent (a quarter), and for one domain of recipients (a half). */
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
  /** The time of all DNS queries that judge one message. */
  verdict_ms: 4000,
  verdict_questions_max: 100,
  dns_query_ms: 1500,
  /** The time of all DNS queries about one domain of an agent. */
  domain_check_ms: 5000,
  /** Domains that a node looks at at once, of those that are declared and of those that are held. */
  domain_checks_max: 32,
  /**
   * If the provider does not forget a domain, it is asked again with growing pauses within these limits. Then it is
   * given up.
   */
  forget_again_ms: 60_000,
  forget_again_max_ms: 86_400_000,
  forget_give_up_seconds: 604_800,
  /** Records of one DNS answer that are examined, and bytes of each. */
  dns_records_max: 50,
  dns_record_max_chars: 4096,
  /** The most aliases that are followed if a name server does not follow them. */
  dns_aliases_max: 4,
  /** A notification of the provider's, as it is sent to an edge; how old it may be, and how far ahead of the clock. */
  notice_max_bytes: 307_200,
  notice_stale_seconds: 86_400,
  notice_ahead_seconds: 3600,
  /** The most notices that one edge accepts at a time. */
  notices_taking_max: 64,
  /** A certificate of the provider's: its size, the time for fetching it, fetches at once, and how many are kept. */
  certificate_max_bytes: 65_536,
  certificate_fetch_ms: 5000,
  certificate_fetches_max: 4,
  certificates_kept_max: 16,
  certificate_kept_seconds: 3600,
  /** Seconds that the log keeps a notification: longer than the provider could send it again. */
  notice_kept_seconds: 259_200,
  /** Notifications that one mail process carries out at once, and that all have been given without an answer. */
  notices_at_once: 4,
  notice_pending_max: 64,
  /**
   * A notice without a sign of progress for this long goes to another worker. One attempt ends after the time below.
   */
  notice_ack_wait_ms: 30_000,
  notice_try_ms: 90_000,
  /** Milliseconds before failed work is tried again. Each pause is longer, until it is given up. */
  notice_again_ms: 2000,
  notice_again_max_ms: 1_800_000,
  notice_give_up_seconds: 172_800,
  /** Seconds after which unfinished work is given up, before the log forgets it. */
  notice_over_seconds: 255_600,
  /** The timeout of a call to the provider. */
  provider_connect_ms: 5000,
  provider_call_ms: 20_000,
  /** A message that the provider has stored: the time for fetching it. */
  object_fetch_ms: 30_000,
  /** The time after which a paused account is looked at again. */
  provider_paused_seconds: 3600,
  /** Seconds between two looks at the account's state at the provider. */
  provider_account_seconds: 900
} as const
