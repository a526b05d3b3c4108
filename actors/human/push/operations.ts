/** A person adds and removes browsers for push messages. The operations are declared in schemas/push/operations.ts. */
import { Effect } from "effect"
import { unavailable } from "../../../schemas/errors.ts"
import type { pushOperations as declared } from "../../../schemas/push/operations.ts"
import { read, write } from "../../engine/definition.ts"
import type { Operating } from "../../kit/kind.ts"
import type { LetterParts } from "../../letter/noun.ts"
import { isActive } from "../decide.ts"
import type { Opening } from "../opening.ts"
import type { HumanActor } from "../state.ts"
import { decideEndPush, decideSubscribe, noSubscription } from "./decide.ts"
import { openSubscription, sealSubscription } from "./sealed.ts"

const noPush = unavailable("This deployment tells nobody by push messages.")

export const pushOperations = (
  { letters, config: { limits } }: LetterParts,
  { opened, told }: Opening
): Operating<typeof declared, HumanActor> => ({
  "human.subscribe_push": write({
    prepare: (state, browser, context) =>
      Effect.gen(function* () {
        const { push } = letters
        if (push === null) return yield* Effect.fail(noPush)
        const account = yield* opened(state, context.id)
        const { human, sealer } = account
        const kept = human.push.subscriptions.map(({ id, sealed }) => {
          const { key, subscription } = openSubscription(sealer, context.id, sealed)
          const isSame = subscription.endpoint === browser.subscription.endpoint
          // A subscription for another key of the service takes no messages any more.
          return { id, isSame, isOver: isSame || key !== push.publicKey }
        })
        const over = kept.filter(({ isOver }) => isOver).map(({ id }) => id)
        // A new browser is reported by letter even if it replaces others.
        const posted = kept.some(({ isSame }) => isSame) ? {} : told("push_subscribed", account, context)
        return { sealed: sealSubscription(sealer, context.id, { ...browser, key: push.publicKey }), over, posted }
      }),
    decide: (state, _input, context) => decideSubscribe(state, context, limits.limits.owner),
    answer: () => null
  }),
  "human.has_push": read((state, { id }) =>
    isActive(state) && state.push.subscriptions.some((one) => one.id === id)
      ? { data: null }
      : { refused: noSubscription }
  ),
  "human.end_push": write({ decide: decideEndPush, answer: () => null })
})
