/** Figures of messages between an agent and its owners (spec 8; contract 20): with those of accounts, `limits.owner`. */
export const OWNER_MESSAGE_LIMITS = {
  /** In code points. */
  text_max_chars: 4000,
  options_min: 2,
  options_max: 6,
  option_max_chars: 80,
  /** What an agent may say that it waits for, and what one request is held for. */
  wait_max_seconds: 3600,
  held_seconds: 25,
  /** Requests that one edge holds. */
  waits_max: 5000
} as const
