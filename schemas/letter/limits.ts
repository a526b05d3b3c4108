/** Figures of letters to people. */
export const LETTER_LIMITS = {
  /** The wait after each attempt that met a passing fault; after the seventh attempt there is none. */
  retry_seconds: { 1: 10, 2: 60, 3: 300, 4: 1800, 5: 7200, 6: 21_600 },
  /** One attempt, from the connection to the server's answer. */
  letter_timeout_ms: 30_000,
  /** Milliseconds after that before a missing outcome is taken for lost with its node. */
  outcome_ms: 60_000,
  /** Attempts that one node has under way. */
  letters_at_once: 8,
  /** Milliseconds that a connection to the mail server is kept for the next letter. */
  idle_ms: 10_000,
  /** Seconds that the log keeps a letter. */
  kept_seconds: 2_592_000
} as const
