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
  retention_seconds: 7_776_000,
  mailboxes_per_agent: 10,
  label_max_chars: 80,
  block_senders_max: 200,
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
  dns_query_ms: 1500,
  /** A notification of the provider's, as it is sent to an edge; how old it may be, and how far ahead of the clock. */
  notice_max_bytes: 307_200,
  notice_stale_seconds: 86_400,
  notice_ahead_seconds: 3600,
  /** That one edge takes at once. */
  notices_taking_max: 64,
  /** A certificate of the provider's: its size, the time for fetching it, fetches at once, and how many are kept. */
  certificate_max_bytes: 65_536,
  certificate_fetch_ms: 5000,
  certificate_fetches_max: 4,
  certificates_kept_max: 16,
  certificate_kept_seconds: 3600,
  /** How long the log holds a notification: longer than it could be sent again. */
  notice_kept_seconds: 259_200,
  /** Notifications that one mail process carries out at once, and that all have been given without an answer. */
  notices_at_once: 4,
  notice_pending_max: 64,
  /** One that nobody says to be working on goes to another; one attempt ends after so long. */
  notice_ack_wait_ms: 30_000,
  notice_try_ms: 90_000,
  /** What failed is tried again after this, each time later, until it is given up. */
  notice_again_ms: 2000,
  notice_again_max_ms: 300_000,
  notice_give_up_seconds: 172_800,
  /** One call of the provider's interface. */
  provider_connect_ms: 5000,
  provider_call_ms: 20_000,
  /** A message that the provider has stored: the time for fetching it. */
  object_fetch_ms: 30_000,
  /** After that a paused account is looked at again. */
  provider_paused_seconds: 3600
} as const
