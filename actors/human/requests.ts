/** First answers of a person under an Idempotency-Key (contract 13, 20). */
import type { requestOperations as declared } from "../../schemas/idempotency/operations.ts"
import type { Owner } from "../../schemas/idempotency/share.ts"
import { custom } from "../engine/definition.ts"
import { firstAnswers } from "../idempotency/noun.ts"
import type { KindParts, Operating } from "../kit/kind.ts"
import { Sealer } from "../log/seal.ts"
import type { HumanActor, HumanState } from "./state.ts"

const sortOf = (state: HumanState): Owner =>
  state?.status === "active" && state.email_verified ? "established" : "unverified"

export const personsRequests = ({ clock, nats, seed, config }: KindParts): Operating<typeof declared, HumanActor> => {
  const answers = firstAnswers({ clock, nats, sealer: new Sealer(seed), limits: config.limits })
  const { idempotency_ttl_seconds } = config.limits.limits
  return {
    "human.begin_request": custom((state, input, context) => answers.begin(input, context, sortOf(state))),
    "human.look_request": custom((_state, input, context) => answers.look(input, context)),
    "human.finish_request": custom((state, input, context) =>
      answers.finish(input, context, idempotency_ttl_seconds, sortOf(state))
    )
  }
}
