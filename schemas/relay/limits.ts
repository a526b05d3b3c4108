/** Figures of what reaches owners by letter, chat and push message (spec 6; contract 20): with those of accounts, `limits.owner`. */
export const RELAY_LIMITS = {
  /** Of one owner; what is more waits for one letter that tells of all of it, which is one of them. */
  relay_letters: { requests: 30, window_seconds: 3600 },
  /**
   * Letters, and news in the chat and in browsers, of security events: they take nothing of the others. New owners are
   * not counted: each is told (`confirmed_owners`). Of several agents one has half of the places at most, here and in
   * the other limits.
   */
  relay_security: { requests: 30, window_seconds: 3600 },
  /** News in one owner's chat: what is more stands on the pages alone. What agents ask for is not counted. */
  relay_chat: { requests: 60, window_seconds: 3600 },
  /** The same in one owner's browsers. */
  relay_push: { requests: 60, window_seconds: 3600 },
  /**
   * What agents ask for, in one owner's browsers: each browser costs a letter's commits, which no agent's budget counts.
   * What is more stands on the pages, and goes by the other ways.
   */
  relay_push_asked: { requests: 60, window_seconds: 3600 },
  relay_push_asked_daily: { requests: 200, window_seconds: 86_400 },
  /** Browsers of one owner that are told. */
  push_subscriptions_max: 10,
  /** How long a code links a chat. */
  chat_code_seconds: 900,
  /** What happened longer ago is not told any more: it stands on the pages. */
  relay_max_age_seconds: 21_600
} as const
