/** Figures of messages between an agent and its owners (spec 8; contract 20): with those of accounts, `limits.owner`. */
export const OWNER_MESSAGE_LIMITS = {
  /** In code points. */
  text_max_chars: 4000,
  options_min: 2,
  options_max: 6,
  option_max_chars: 80,
  /** The longest wait that an agent may name, and the time that one request is held. */
  wait_max_seconds: 3600,
  held_seconds: 25,
  /** Requests that one edge holds. */
  waits_max: 5000
} as const
