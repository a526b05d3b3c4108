/** Figures of the vault (spec 8; contract 17). */

export const VAULT_LIMITS = {
  entries_max: 500,
  /** A fill whose end was not reported for this long counts no more. */
  fill_pending_seconds: 120,
  /** Seconds that a fill waits for an owner's consent. */
  consent_seconds: 600,
  /** Pictures of captchas that may be sent to owners for one fill. */
  captcha_rounds_max: 3,
  /** The highest limits that a card may get: the same number in every currency. */
  ceilings: { per_payment: 1000, per_day: 2000, fills_per_day: 20 },
  sources_max: 20,
  origins_max: 20,
  label_max_chars: 100,
  ciphertext_max_bytes: 16_384
} as const

export const VAULT_SERVICE_LIMITS = {
  /** Fills of one vault that wait for their end. */
  pending_max: 50,
  /** Fills that wait for an owner, with those that were taken back before their time was over. */
  asked_max: 5,
  /** Entries in one answer of a vault: some 7 KB each where they name all the websites that they may. */
  entries_told_max: 100,
  /** Fills whose end came too late are remembered for this long, and this many. A late result still closes one. */
  late_seconds: 86_400,
  late_max: 200,
  /** Between two alerts of one entry and code; and how many of them, and of tokens that have ended, are remembered. */
  alert_seconds: 60,
  alerts_max: 2000,
  ended_tokens_max: 50,
  /**
   * Seconds that a deleted entry is remembered, in case its sealed box is written again. Also the most that a vault
   * remembers besides its entries before it accepts no new one.
   */
  deleted_seconds: 2_592_000,
  deleted_max: 200,
  /** Fill services of one agent that have a token at once. */
  tokens_max: 10,
  /** Vaults that the keeper has under way at once, and how long one may take. */
  ack_pending_max: 256,
  ack_wait_ms: 15_000
} as const
