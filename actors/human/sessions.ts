/** Operations on the sessions of an account (spec 5.2). */
import { Effect } from "effect"
import type { humanOperations as declared } from "../../schemas/human/operations.ts"
import type { HumanSession } from "../../schemas/human/records.ts"
import { custom, read, write } from "../engine/definition.ts"
import type { Doing, KindParts } from "../kit/kind.ts"
import { isActive } from "./decide.ts"
import { noHuman, type OpenedAccount, type Opening } from "./opening.ts"
import { logInFacts } from "./log-in-facts.ts"
import { openBrowser, openPassword } from "./personal.ts"
import { decideClose, decideEnd, decideOpen, isCodeWanted, openSession, sessionInvalid } from "./session-decisions.ts"
import type { HumanActor, HumanState } from "./state.ts"
import { giveBackTry, tryOf } from "./tries.ts"

type Op<Name extends keyof typeof declared> = Doing<HumanActor, (typeof declared)[Name]>

interface SessionOperations {
  readonly "human.salt": Op<"human.salt">
  readonly "human.try_password": Op<"human.try_password">
  readonly "human.open_session": Op<"human.open_session">
  readonly "human.session": Op<"human.session">
  readonly "human.close_session": Op<"human.close_session">
  readonly "human.sessions": Op<"human.sessions">
  readonly "human.end_sessions": Op<"human.end_sessions">
}

/** Lists the open sessions, newest first. */
const sessionsOf = (
  { human, sealer }: OpenedAccount,
  id: string,
  current: number,
  at: number
): ReadonlyArray<HumanSession> =>
  human.sessions
    .filter(({ expires_at }) => expires_at > at)
    .map(({ id: session, opened_at, expires_at, browser, console }) => ({
      id: session,
      opened_at: new Date(opened_at).toISOString(),
      expires_at: new Date(expires_at).toISOString(),
      browser: browser === undefined ? null : openBrowser(sealer, id, browser),
      current: session === current,
      ...(console === true ? { console } : {})
    }))
    .toReversed()

export const sessionOperations = ({ config }: KindParts, opening: Opening): SessionOperations => {
  const { opened } = opening
  const { limits } = config
  const { owner } = limits.limits

  const saltOf = (state: HumanState, id: string) =>
    Effect.map(opened(state, id), ({ human, sealer }) => ({
      salt: openPassword(sealer, id, human.password).salt,
      parameters: human.password.parameters
    }))

  return {
    "human.salt": custom((state, _input, { id }) => saltOf(state, id)),
    "human.try_password": custom((state, _input, context) =>
      isActive(state)
        ? Effect.andThen(tryOf(context, state.address, limits), saltOf(state, context.id))
        : Effect.fail(noHuman)
    ),
    "human.open_session": write({
      // If only the code is missing, the password was right, so the try is given back.
      prepare: (state, input, context) =>
        Effect.tap(logInFacts(opening, state, input, context), (facts) =>
          isCodeWanted(decideOpen(state, input, { ...context, facts }, owner))
            ? Effect.forkDetach(giveBackTry(`${context.commandId}-right`, facts.address))
            : Effect.void
        ),
      decide: (state, input, context) => decideOpen(state, input, context, owner),
      answer: (_state, { expires_at }) => ({ expires_at: new Date(expires_at).toISOString() }),
      // `seq`: the account's sequence before the login. With it each login gives back its own try, even within one
      // millisecond.
      after: (_input, { id, seq, facts }, { refused }) =>
        refused === null ? giveBackTry(`${id}-${seq}`, facts.address) : Effect.void
    }),
    "human.session": read((state, { token }, { at }) => {
      const session = openSession(state, token, at)
      return session === null || !isActive(state)
        ? { refused: sessionInvalid }
        : { data: { session: session.id, email_verified: state.email_verified } }
    }),
    "human.close_session": write({
      decide: (state, input, context) => decideClose(state, input, context),
      answer: () => ({ revoked: true })
    }),
    "human.sessions": custom((state, { token }, { id, at }) => {
      const current = openSession(state, token, at)
      return current === null
        ? Effect.fail(sessionInvalid)
        : Effect.map(opened(state, id), (account) => ({ sessions: sessionsOf(account, id, current.id, at) }))
    }),
    "human.end_sessions": write({
      decide: (state, input, context) => decideEnd(state, input, context),
      answer: () => null
    })
  }
}
