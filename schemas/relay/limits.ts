/** Figures of what reaches owners by letter, chat and push message (spec 6; contract 20): with those of accounts, `limits.owner`. */
export const RELAY_LIMITS = {
  /** Letters to one owner. Further events wait for one summary letter, which counts as one of them. */
  relay_letters: { requests: 30, window_seconds: 3600 },
  /**
   * Letters, and news in the chat and in browsers, about security events. They take nothing from the other limits. New
   * owners do not count: each is reported (`confirmed_owners`). If an owner has several agents, one agent has at most
   * half of the places, here and in the other limits.
   */
  relay_security: { requests: 30, window_seconds: 3600 },
  /**
   * News in one owner's chat. Further news is only on the pages. Messages that an agent sends to its owner have their
   * own limits (`relay_asked`).
   */
  relay_chat: { requests: 60, window_seconds: 3600 },
  /** The same in one owner's browsers. */
  relay_push: { requests: 60, window_seconds: 3600 },
  /**
   * Things that agents ask one owner in the chat, and as many in browsers. The chat and each browser cost a letter's
   * commits, which no agent's budget counts. Further ones appear on the pages and go by the other ways.
   */
  relay_asked: { requests: 60, window_seconds: 3600 },
  relay_asked_daily: { requests: 200, window_seconds: 86_400 },
  /**
   * Events that one summary letter counts. Further ones of a kind that it names already are not written down: the
   * letter says that there were more.
   */
  relay_held_max: 200,
  /** Browsers of one owner that get push messages. */
  push_subscriptions_max: 10,
  /** Seconds that a code can link a chat. */
  chat_code_seconds: 900,
  /** Older events are not relayed any more. They remain on the pages. */
  relay_max_age_seconds: 21_600
} as const
