/**
 * The tokens of one place that the keeper accepts. Pure.
 *
 * The keeper stores a token before the vault admits it, and the vault's admission decides which token works. A keeper
 * may end between the two. So the tokens before the newest one stay here until a newer one was used: one of them may
 * be the token that the vault has.
 */

export interface PlaceToken {
  /** The sha256 of the token, in hex. */
  readonly hash: string
  /** The uid of the vault. */
  readonly vault: string
  /** The sha256 of the one-time key that the token was used with; `null` before that. */
  readonly ephemeral: string | null
  /** Later tokens have a greater number. The vault refuses a token if it has a later one. */
  readonly order: number
}

export interface PlaceTokens {
  /** The sequence of the stored message; 0 if there is none. */
  readonly seq: number
  /** The newest one first. */
  readonly tokens: ReadonlyArray<PlaceToken>
}

/** With more tokens than these, the oldest one is dropped. So many requests in a row were stored and not admitted. */
const TOKENS_MAX = 16

export const tokenOf = (
  { tokens }: PlaceTokens,
  { hash, vault }: Pick<PlaceToken, "hash" | "vault">
): PlaceToken | null => tokens.find((one) => one.hash === hash && one.vault === vault) ?? null

/**
 * Adds a token. Its order is the sequence of the message that the new list replaces: each stored list has another one,
 * and later lists have greater ones.
 */
export const withToken = (
  { seq, tokens }: PlaceTokens,
  { hash, vault }: Pick<PlaceToken, "hash" | "vault">
): ReadonlyArray<PlaceToken> => [
  { hash, vault, ephemeral: null, order: seq },
  ...tokens.filter((one) => one.hash !== hash).slice(0, TOKENS_MAX - 1)
]

/** Marks a token as used. The vault has admitted it, so it admits no earlier one any more. */
export const withUse = (
  { tokens }: PlaceTokens,
  { hash, order }: Pick<PlaceToken, "hash" | "order">,
  ephemeral: string
): ReadonlyArray<PlaceToken> =>
  tokens.flatMap((one) => (one.hash === hash ? [{ ...one, ephemeral }] : one.order > order ? [one] : []))
