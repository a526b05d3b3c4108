/** Tokens of vaults (spec 5.4; contract 17): a source's, which writes entries, and a fill service's. */
import { type Refusal, refusal } from "../errors.ts"

/** `hxs_` or `hxv_`, the agent of the vault, and 256 random bits. */
const TOKEN = /^hx([sv])_([0-9a-f]{24})[A-Za-z0-9_-]{43}$/
const HUB_PREFIX = "hx"

export interface VaultToken {
  readonly type: "source" | "service"
  /** The agent's hub id. */
  readonly agent: string
}

/** `secret` is 256 random bits in base64url. */
export const vaultTokenOf = (type: VaultToken["type"], agent: string, secret: string): string =>
  `hx${type === "source" ? "s" : "v"}_${agent.slice(HUB_PREFIX.length)}${secret}`

/** `null` if the text is not a token. */
export const vaultToken = (text: string): VaultToken | null => {
  const [, type, agent] = TOKEN.exec(text) ?? []
  return type === undefined ? null : { type: type === "s" ? "source" : "service", agent: `${HUB_PREFIX}${agent}` }
}

/** The token is wrong, ended or revoked. The answer does not say which. */
export const tokenInvalid: Refusal = {
  ...refusal("token_invalid", "This token is none, or it has ended."),
  status: 401
}
