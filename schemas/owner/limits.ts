/**
 * Limits of messages between an agent and its owners (spec 8; contract 20). Discovery shows them in `limits.owner`
 * together with those of accounts.
 */
export const OWNER_MESSAGE_LIMITS = {
  /** In code points. */
  text_max_chars: 4000,
  options_min: 2,
  options_max: 6,
  option_max_chars: 80,
  /**
   * The longest time that an agent may wait for an owner, and the time after which one waiting HTTP request is
   * answered.
   */
  wait_max_seconds: 3600,
  held_seconds: 25,
  /** The most requests that one edge holds. */
  waits_max: 5000
} as const
