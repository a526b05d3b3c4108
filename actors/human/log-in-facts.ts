/** The facts for a login by password, at the owner's pages and at the operators' console. */
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { PrepareContext } from "../engine/definition.ts"
import type { Opening } from "./opening.ts"
import { sealBrowser } from "./personal.ts"
import { useOf } from "./second-factor.ts"
import type { OpenFacts } from "./session-decisions.ts"
import type { HumanState } from "./state.ts"

export interface LogInFacts extends OpenFacts {
  readonly address: string
}

export const logInFacts = (
  { tried, loginOf }: Opening,
  state: HumanState,
  { code, browser }: { readonly code: string | null; readonly browser?: string },
  context: Pick<PrepareContext, "id" | "at">
): Effect.Effect<LogInFacts, Refusal> =>
  Effect.map(tried(state, context), ({ secret, ...account }) => {
    const { human, sealer } = account
    return {
      address: human.address,
      secret,
      use: useOf(sealer, context.id, human, code, context.at),
      browser: browser === undefined ? null : sealBrowser(sealer, context.id, browser),
      login: loginOf(account, context, browser)
    }
  })
