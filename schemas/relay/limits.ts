/**
 * Limits of notifications to owners by letter, chat and push message (spec 6; contract 20). Discovery shows them in
 * `limits.owner` together with those of accounts.
 */
export const RELAY_LIMITS = {
  /**
   * Letters to one owner. Further events wait for a summary letter, which counts as a letter too. Letters about
   * requests of agents have the same limit and are counted separately.
   */
  relay_letters: { requests: 30, window_seconds: 3600 },
  /**
   * Messages about security events to one owner. Letters, chat and browsers are counted separately, and not in the
   * other limits. Messages about new owners are not counted, because `confirmed_owners` limits them.
   *
   * If an owner has several agents, one agent gets at most half of this limit, rounded up. The same holds for letters
   * about requests, and for the limits of chat and browsers below.
   */
  relay_security: { requests: 30, window_seconds: 3600 },
  /**
   * Messages in one owner's chat, except those about security events (`relay_security`) and requests (`relay_asked`).
   * Further events are not sent to the chat.
   */
  relay_chat: { requests: 60, window_seconds: 3600 },
  /** The same for push messages to one owner. A message to several browsers counts once. */
  relay_push: { requests: 60, window_seconds: 3600 },
  /**
   * Requests of agents to one owner: questions, captchas and consents. Chat and browsers are counted separately. Each
   * message adds commits to the log that no agent's budget counts. Further requests are on the pages, and are sent
   * through the other channels.
   */
  relay_asked: { requests: 60, window_seconds: 3600 },
  relay_asked_daily: { requests: 200, window_seconds: 86_400 },
  /**
   * The number of events that wait for a summary letter before counting stops. Further events of a waiting kind are
   * then not stored, and the letter says "at least".
   */
  relay_held_max: 200,
  /** Browsers of one owner that get push messages. */
  push_subscriptions_max: 10,
  /** Seconds for which a code can be used to link a chat. */
  chat_code_seconds: 900,
  /** Events older than this are not sent, except those about new owners. They remain on the pages. */
  relay_max_age_seconds: 21_600
} as const
