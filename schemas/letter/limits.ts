/** Figures of letters to people. */
export const LETTER_LIMITS = {
  /** Seconds to wait after each attempt that failed temporarily. The seventh attempt is the last one. */
  retry_seconds: { 1: 10, 2: 60, 3: 300, 4: 1800, 5: 7200, 6: 21_600 },
  /** The timeout of an attempt, from the connection to the server's answer. */
  letter_timeout_ms: 30_000,
  /** Milliseconds after that timeout. An outcome that is still missing then is taken as lost with its node. */
  outcome_ms: 60_000,
  /** Attempts that one node makes at once. */
  letters_at_once: 8,
  /** A place (a mail domain, a chat or a push server) that holds an attempt this long counts as slow. */
  slow_ms: 2000,
  /**
   * The time of a letter beyond the share of slow places; no less than `slow_ms`. Mail servers often take some seconds,
   * and a letter that is cut short may be lost. Chat and push services answer at once: they have `slow_ms`.
   */
  hurry_ms: 10_000,
  /** The rest that a person needs after an attempt, plus so many times the time that it took. Rests add up. */
  rest_ms: 5000,
  rest_times: 20,
  /** The longest rest that a person ever needs. */
  rest_max_ms: 160_000,
  /** The rest with which a person may still have the last slot. The one before allows twice of it, and so on. */
  last_slot_rest_ms: 10_000,
  /** Milliseconds that a connection to the mail server is kept for the next letter. */
  idle_ms: 10_000,
  /** Seconds that the log keeps a letter. */
  kept_seconds: 2_592_000
} as const
