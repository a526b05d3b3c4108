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
  /** Milliseconds that a connection to the mail server is kept for the next letter. */
  idle_ms: 10_000,
  /** Seconds that the log keeps a letter. */
  kept_seconds: 2_592_000
} as const
