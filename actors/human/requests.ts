/** First answers of a person under an Idempotency-Key (contract 13, 20). */
import type { requestOperations as declared } from "../../schemas/idempotency/operations.ts"
import { custom } from "../engine/definition.ts"
import { firstAnswers } from "../idempotency/noun.ts"
import type { KindParts, Operating } from "../kit/kind.ts"
import { Sealer } from "../log/seal.ts"
import type { HumanActor } from "./state.ts"

export const personsRequests = ({ clock, nats, seed, config }: KindParts): Operating<typeof declared, HumanActor> => {
  const answers = firstAnswers({ clock, nats, sealer: new Sealer(seed), limits: config.limits })
  const { idempotency_ttl_seconds } = config.limits.limits
  return {
    "human.begin_request": custom((_state, input, context) => answers.begin(input, context)),
    "human.look_request": custom((_state, input, context) => answers.look(input, context)),
    "human.finish_request": custom((_state, input, context) => answers.finish(input, context, idempotency_ttl_seconds))
  }
}
