/** Figures of letters to people. */
export const LETTER_LIMITS = {
  /** Seconds to wait after each attempt that failed temporarily. The seventh attempt is the last one. */
  retry_seconds: { 1: 10, 2: 60, 3: 300, 4: 1800, 5: 7200, 6: 21_600 },
  /** The timeout of an attempt, from the connection to the server's answer. */
  letter_timeout_ms: 30_000,
  /**
   * Milliseconds after `letter_timeout_ms`. If no outcome of the attempt is known by then, its node is assumed to have
   * failed.
   */
  outcome_ms: 60_000,
  /** Attempts that one node makes at once. */
  letters_at_once: 8,
  /** A place (a mail domain, a chat or a push server) that holds an attempt this long counts as slow. */
  slow_ms: 2000,
  /**
   * The longest attempt to send a mail if slow places already hold their full share of the slots. Mail servers often
   * take some seconds, and a letter that is cut short may be lost. For chat and push services this time is `slow_ms`,
   * because they answer quickly.
   */
  hurry_ms: 10_000,
  /**
   * After an attempt its person has to rest: the last free slots are then for others (actors/letter/slots.ts). Each
   * attempt adds `rest_ms` to the rest, and `rest_times` times the duration of the attempt.
   */
  rest_ms: 5000,
  rest_times: 20,
  rest_max_ms: 160_000,
  /**
   * A person whose rest ends within this time may use the last free slot; within twice this time, the second last one,
   * and so on.
   */
  last_slot_rest_ms: 10_000,
  /** Milliseconds that a connection to the mail server is kept for the next letter. */
  idle_ms: 10_000,
  /** Seconds that the log keeps a letter. */
  kept_seconds: 2_592_000
} as const
