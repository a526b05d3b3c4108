/** Figures of what reaches owners by letter, chat and push message (spec 6; contract 20): with those of accounts, `limits.owner`. */
export const RELAY_LIMITS = {
  /** Letters to one owner. Further events wait for one summary letter, which counts as one of them. */
  relay_letters: { requests: 30, window_seconds: 3600 },
  /**
   * Letters, and news in the chat and in browsers, of security events: they take nothing of the others. New owners are
   * not counted: each is told (`confirmed_owners`). One of several agents has half of the places at most, here and in
   * the other limits.
   */
  relay_security: { requests: 30, window_seconds: 3600 },
  /**
   * News in one owner's chat: what is more stands on the pages alone. Messages that an agent sends to its owner are not
   * counted.
   */
  relay_chat: { requests: 60, window_seconds: 3600 },
  /** The same in one owner's browsers. */
  relay_push: { requests: 60, window_seconds: 3600 },
  /**
   * Pushes to one owner's browsers that agents ask for. Each browser costs a letter's commits, which no agent's budget
   * counts. Further ones appear on the pages and go by the other ways.
   */
  relay_push_asked: { requests: 60, window_seconds: 3600 },
  relay_push_asked_daily: { requests: 200, window_seconds: 86_400 },
  /** Browsers of one owner that are told. */
  push_subscriptions_max: 10,
  /** Seconds that a code can link a chat. */
  chat_code_seconds: 900,
  /** Older events are not relayed any more. They remain on the pages. */
  relay_max_age_seconds: 21_600
} as const
