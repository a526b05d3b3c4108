/**
 * Limits of human accounts and of the owner's space (spec 8, "Owner and captcha"; contract 20). Discovery shows them as
 * `limits.owner`.
 */
export const OWNER_LIMITS = {
  /** In code points. */
  password_min_chars: 10,
  password_max_chars: 200,
  email_max_chars: 254,
  /** Sponsorships of one person that are pending or confirmed. */
  agents_max: 100,
  /** The most confirmed sponsors of one agent. */
  agent_humans_max: 50,
  /** Confirmations of one agent. All of its owners are notified of each. */
  confirmed_owners: { requests: 10, window_seconds: 3600 },
  /**
   * The most unanswered declarations to one agent: this many by people with a verified address, and as many by others.
   */
  agent_pending_max: 100,
  /** The most unanswered declarations of one person without a verified address. */
  unverified_pending_max: 3,
  /** Seconds after which an unanswered declaration ends. */
  pending_seconds: 1_209_600,
  /**
   * Seconds in which earlier owners may object to a later owner, before this person may consent to fills of older
   * entries.
   */
  later_owner_seconds: 604_800,
  /**
   * Agents that are made for one person with a compartment: the most provisional ones at a time, and the most in a
   * lifetime.
   */
  made_provisional_max: 3,
  made_max: 10,
  /** Seconds before a person may declare again to an agent that refused. */
  refused_wait_seconds: 604_800,
  /** Sessions of one account. A new session beyond the limit ends the oldest. */
  sessions_max: 20,
  session_seconds: 2_592_000,
  verify_link_seconds: 172_800,
  reset_link_seconds: 3600,
  /** Letters with links to one account, whoever requests them. The letter of the sign-up does not count. */
  verify_letters: { requests: 3, window_seconds: 3600 },
  forgot_per_account: { requests: 3, window_seconds: 3600 },
  /** Requests of one client. */
  forgot_per_address: { requests: 5, window_seconds: 3600 },
  /** Wrong passwords for one address, whether an account has it or not. */
  login_failures: { requests: 20, window_seconds: 900 }
} as const

/** A session at the operators' console. */
export const CONSOLE_SESSION_SECONDS = 43_200

/** The most passkeys of one account, and the time that a browser has to make or use one. */
export const PASSKEY_LIMITS = {
  max: 10,
  name_max_chars: 60,
  challenge_seconds: 300,
  /** Used challenges that an account remembers. A person who logs in more often in their time has to wait. */
  remembered_max: 100
} as const
