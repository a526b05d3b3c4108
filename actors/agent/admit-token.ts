/**
 * Admits the holder of a token of the agent's vault. The agent's limits apply to the holder, and the holder is refused
 * when the agent's account is closed (contract 17).
 */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { tokenOperations } from "../../schemas/vault/operations.ts"
import { once } from "../engine/definition.ts"
import type { Operating } from "../kit/kind.ts"
import { statusRefusal } from "./decide.ts"
import { drawAll } from "./gate.ts"
import type { AgentActor } from "./state.ts"

export const admittingTokens = (limits: Limits): Operating<typeof tokenOperations, AgentActor> => ({
  "agent.admit_token": once((state, { writes }, { memory, at }) =>
    Effect.suspend(() => {
      if (state === null) return Effect.fail(notFound("agent"))
      const refused = statusRefusal(state, writes)
      if (refused !== null) return Effect.fail(refused)
      const verdict = drawAll(memory, limits, ["agent"], at)
      return "pass" in verdict && !verdict.pass ? Effect.fail(verdict.refused) : Effect.succeed(null)
    })
  )
})
