/** An account as decisions make it: sealed texts stand for themselves here, nothing opens them. */
import { createHash } from "node:crypto"
import { decideRegister } from "../../../actors/human/decide.ts"
import { evolveHuman } from "../../../actors/human/evolve.ts"
import { decideOpen } from "../../../actors/human/session-decisions.ts"
import type { CodeUse } from "../../../actors/human/second-factor.ts"
import type { Human, HumanEvent, HumanState } from "../../../actors/human/state.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import { PASSWORD_PARAMETERS } from "../../../schemas/human/password.ts"
import { LIMITS } from "../../../schemas/limits.ts"

export const ID = "hum_abcdefghijklmnop"
export const START = Date.parse("2026-11-23T12:00:00Z")
export const SECOND = 1000
export const { owner } = LIMITS.limits

const hashed = (password: string): string => Buffer.from(password.padEnd(32, ".")).toString("base64")
const verifier = (hash: string): string => createHash("sha256").update(Buffer.from(hash, "base64")).digest("base64")
export const RIGHT = hashed("right")
export const WRONG = hashed("wrong")
export const secret = { salt: "", verifier: verifier(RIGHT) }
export const password = { sealed: "sealed password", parameters: PASSWORD_PARAMETERS }
export const changed = { sealed: "sealed change", parameters: PASSWORD_PARAMETERS }
export const NO_CODE: CodeUse = { kind: "none" }
/** Of a login. */
export const proven = (use: CodeUse = NO_CODE) => ({
  secret,
  use,
  browser: null,
  login: { mark: "a browser", letter: {} }
})

export const context = <Facts>(facts: Facts, at = START) => ({ id: ID, at, seq: 1, facts })
export const linkFacts = (token: string) => ({ link: { token, hash: `hash of ${token}` }, posted: {} })

export const applied = (state: HumanState, decision: Decision<HumanEvent>, at = START): HumanState =>
  (decision.events ?? []).reduce((folded, event) => evolveHuman(folded, event, { at }), state)

export const registering = { address: "address", claimed: 0, personal: "sealed", password, ...linkFacts("first") }
export const registered = (): Human => {
  const state = applied(null, decideRegister(null, context(registering), owner))
  if (state === null || state.status !== "active") throw new Error("Nobody was registered")
  return state
}

export const opened = (state: HumanState, token: string, at = START): HumanState =>
  applied(state, decideOpen(state, { password: RIGHT, token, code: null }, context(proven(), at), owner), at)

export const codeOf = (decision: Decision<HumanEvent>): string | null =>
  "refused" in decision ? decision.refused.code : null
