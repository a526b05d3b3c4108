/**
 * Limits of notifications to owners by letter, chat and push message (spec 6; contract 20). Discovery shows them in
 * `limits.owner` together with those of accounts.
 */
export const RELAY_LIMITS = {
  /** Letters to one owner. Further events wait for a summary letter, which counts as one of them. */
  relay_letters: { requests: 30, window_seconds: 3600 },
  /**
   * Letters about security events to one owner, and as many chat messages and push messages. They do not count in the
   * other limits. New owners do not count here: each is reported (`confirmed_owners`). If an owner has several agents,
   * one agent has at most half of the places. The other limits are shared alike, except `relay_letters`.
   */
  relay_security: { requests: 30, window_seconds: 3600 },
  /**
   * News in one owner's chat. Further news is only on the pages. Messages that an agent sends to its owner have their
   * own limits (`relay_asked`).
   */
  relay_chat: { requests: 60, window_seconds: 3600 },
  /** The same limit for one owner's browsers. */
  relay_push: { requests: 60, window_seconds: 3600 },
  /**
   * Requests of agents to one owner in the chat, and as many in browsers. Each chat or push message costs as many
   * commits as a letter, and no agent's budget counts them. Further requests appear on the pages and are sent through
   * the other channels.
   */
  relay_asked: { requests: 60, window_seconds: 3600 },
  relay_asked_daily: { requests: 200, window_seconds: 86_400 },
  /**
   * When a summary letter counts this many events, further events of the kinds in it are not stored. The letter says
   * that there were more.
   */
  relay_held_max: 200,
  /** Browsers of one owner that get push messages. */
  push_subscriptions_max: 10,
  /** Seconds that a code can link a chat. */
  chat_code_seconds: 900,
  /** Older events are not sent any more, except those about new owners. They remain on the pages. */
  relay_max_age_seconds: 21_600
} as const
