/**
 * Figures of human accounts and of the owner's space (spec 8, "Owner and captcha"; contract 20): discovery shows them as
 * `limits.owner`.
 */
export const OWNER_LIMITS = {
  /** In code points. */
  password_min_chars: 10,
  password_max_chars: 200,
  email_max_chars: 254,
  /** Sponsorships of one person that are pending or confirmed. */
  agents_max: 100,
  /** Confirmed ones of one agent. */
  agent_humans_max: 50,
  /** Confirmations of one agent. All of its owners are notified of each. */
  confirmed_owners: { requests: 10, window_seconds: 3600 },
  /** Pending ones of one agent: this many by people with a verified address, and as many by people without. */
  agent_pending_max: 100,
  /** Pending ones of one person whose address is not verified. */
  unverified_pending_max: 3,
  /** After this, a declaration that was not answered ends. */
  pending_seconds: 1_209_600,
  /** Seconds in which earlier owners may object to a later one, before it may consent to fills of older entries. */
  later_owner_seconds: 604_800,
  /** Agents that are made for one person with a compartment: provisional ones at a time, and in a lifetime. */
  made_provisional_max: 3,
  made_max: 10,
  /** Seconds before a person whom an agent refused may declare it again. */
  refused_wait_seconds: 604_800,
  /** Sessions of one account. A new one beyond the limit ends the oldest. */
  sessions_max: 20,
  session_seconds: 2_592_000,
  verify_link_seconds: 172_800,
  reset_link_seconds: 3600,
  /** Letters with such links to one account, whoever asks for them. The letter of the sign-up does not count. */
  verify_letters: { requests: 3, window_seconds: 3600 },
  forgot_per_account: { requests: 3, window_seconds: 3600 },
  /** Of one client. */
  forgot_per_address: { requests: 5, window_seconds: 3600 },
  /** Passwords that were wrong for one address, whether anybody has it or not. */
  login_failures: { requests: 20, window_seconds: 900 }
} as const

/** A session at the operators' console. */
export const CONSOLE_SESSION_SECONDS = 43_200

/** Passkeys of one account, and how long a browser may take over one. */
export const PASSKEY_LIMITS = {
  max: 10,
  name_max_chars: 60,
  challenge_seconds: 300,
  /** Used challenges that an account remembers. A person who logs in more often in their time has to wait. */
  remembered_max: 100
} as const
