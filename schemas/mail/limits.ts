/** Figures of the mail service (spec 8; contract 20): with their paths in discovery's `limits.email`. */
export const MAIL_LIMITS = {
  /** A message as it comes in, whole. */
  message_max_bytes: 10_485_760,
  attachments_kept_max: 10,
  attachment_max_bytes: 5_242_880,
  /** Of text, and of HTML: UTF-8. */
  body_max_bytes: 262_144,
  mailbox_max_bytes: 104_857_600,
  inbound_per_day: 500,
  /** What all mailboxes of the server hold. */
  stored_max_bytes: 2_147_483_648,
  /** With less of the disk left no mail is taken. */
  free_disk_min_bytes: 536_870_912,
  retention_seconds: 7_776_000,
  mailboxes_per_agent: 10,
  label_max_chars: 80,
  block_senders_max: 200,
  allow_senders_max: 200,
  tag_max_chars: 40,
  tag_max_seconds: 31_536_000,
  /** That have not ended. */
  tags_per_mailbox: 100,
  /** That an agent chose, with those that have ended: these are remembered, to be refused. */
  tags_chosen_max: 500,
  codes_minutes_default: 30,
  codes_minutes_max: 1440,
  /** Of one answer. */
  codes_messages_max: 50
} as const

/** What discovery does not show: bounds on what strangers make the mail process do. */
export const MAIL_SERVICE_LIMITS = {
  connections_max: 256,
  connections_per_client_max: 16,
  /** Of one message. */
  recipients_max: 50,
  /** Without a word of the other side. */
  idle_ms: 60_000,
  /** A connection, whatever it says; the part of it in which a message comes; its commands. */
  session_ms: 300_000,
  data_ms: 180_000,
  commands_max: 1000,
  /** Messages that are held at once, over all connections; one more is told to come again. */
  held_max_bytes: 67_108_864,
  /** Messages that are parsed at once, each in a thread of its own; and that wait for it. */
  parsers: 2,
  parses_waiting_max: 128,
  /** A message that takes a thread longer is tried once more, in a new one. */
  parse_ms: 2000,
  /** For a thread to begin, on a machine that has much to do. */
  parser_start_ms: 30_000,
  parser_heap_mb: 192,
  depth_max: 20,
  headers_max_bytes: 262_144,
  links_max: 200,
  /** Of a message's words, those that are found by search. */
  words_max: 300,
  /** All that DNS is asked to judge one message. */
  verdict_ms: 4000,
  dns_query_ms: 1500
} as const
