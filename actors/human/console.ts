/** Operations of an account for the operators' console, and the right to use it. */
import { Effect } from "effect"
import type { humanOperations as declared } from "../../schemas/human/operations.ts"
import { read, write } from "../engine/definition.ts"
import type { Doing, KindParts } from "../kit/kind.ts"
import { isActive } from "./decide.ts"
import { consoleSession, decideCloseConsole, decideOpenConsole, decideRole } from "./decide-console.ts"
import { logInFacts } from "./log-in-facts.ts"
import type { Opening } from "./opening.ts"
import { isCodeWanted, sessionInvalid } from "./session-decisions.ts"
import type { HumanActor } from "./state.ts"
import { giveBackTry } from "./tries.ts"

type Op<Name extends keyof typeof declared> = Doing<HumanActor, (typeof declared)[Name]>

interface ConsoleOperations {
  readonly "human.role": Op<"human.role">
  readonly "human.open_console": Op<"human.open_console">
  readonly "human.console_session": Op<"human.console_session">
  readonly "human.close_console": Op<"human.close_console">
}

export const consoleOperations = ({ config }: KindParts, opening: Opening): ConsoleOperations => {
  const { owner } = config.limits.limits
  return {
    "human.role": write({
      decide: (state, input) => decideRole(state, input),
      answer: (state) => ({ roles: isActive(state) ? (state.roles ?? []) : [] })
    }),
    "human.open_console": write({
      // If only the code is missing, the password was right, so the try is given back.
      prepare: (state, input, context) =>
        Effect.tap(logInFacts(opening, state, input, context), (facts) =>
          isCodeWanted(decideOpenConsole(state, input, { ...context, facts }, owner))
            ? Effect.forkDetach(giveBackTry(`${context.commandId}-right`, facts.address, true))
            : Effect.void
        ),
      decide: (state, input, context) => decideOpenConsole(state, input, context, owner),
      answer: (_state, { expires_at }) => ({ expires_at: new Date(expires_at).toISOString() }),
      after: (_input, { id, seq, facts }, { refused }) =>
        refused === null ? giveBackTry(`${id}-${seq}`, facts.address, true) : Effect.void
    }),
    "human.console_session": read((state, { token }, { at }) => {
      const session = consoleSession(state, token, at)
      return session === null ? { refused: sessionInvalid } : { data: { session: session.id } }
    }),
    "human.close_console": write({
      decide: (state, input, context) => decideCloseConsole(state, input, context),
      answer: () => null
    })
  }
}
