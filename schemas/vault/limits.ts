/** Limits of the vault (spec 8; contract 17). */

export const VAULT_LIMITS = {
  entries_max: 500,
  /** Seconds after which a fill without a reported end no longer counts. */
  fill_pending_seconds: 120,
  /** Seconds that a fill waits for an owner's consent. */
  consent_seconds: 600,
  /** Pictures of captchas that may be sent to owners for one fill. */
  captcha_rounds_max: 3,
  /** The highest limits that a card may have, with the same number in every currency. */
  ceilings: { per_payment: 1000, per_day: 2000, fills_per_day: 20 },
  sources_max: 20,
  origins_max: 20,
  label_max_chars: 100,
  ciphertext_max_bytes: 16_384
} as const

export const VAULT_SERVICE_LIMITS = {
  /** The most fills of one vault that are open at once. */
  pending_max: 50,
  /** The most fills that wait for an owner. Cancelled and declined ones count until their time would have been over. */
  asked_max: 5,
  /** The most entries in one answer of a vault. An entry takes about 7 KB if it names as many websites as possible. */
  entries_told_max: 100,
  /**
   * Fills whose end came too late are remembered for this time, up to this number. A late result can still close one.
   */
  late_seconds: 86_400,
  late_max: 200,
  /**
   * The least seconds between two alerts about the same entry and code. The most alerts, and ended tokens, that are
   * remembered.
   */
  alert_seconds: 60,
  alerts_max: 2000,
  ended_tokens_max: 50,
  /**
   * Seconds for which a deleted entry is remembered, in case its sealed box is written again. The most deleted entries
   * that are remembered: with more, the vault accepts no new entry.
   */
  deleted_seconds: 2_592_000,
  deleted_max: 200,
  /** The most fill services of one agent with a token at the same time. */
  tokens_max: 10,
  /**
   * The most vaults that the keeper works on at once, and the time after which the work of a silent keeper is given out
   * again. With the start of another one, it must be over before a revoked key has to be erased (10 s, contract 22).
   */
  ack_pending_max: 256,
  ack_wait_ms: 5000
} as const
