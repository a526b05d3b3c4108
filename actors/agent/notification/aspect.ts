/** The agent actor's operations on its notifications, declared in schemas/notification/operations.ts. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { NotificationInput, notificationOperations as declared } from "../../../schemas/notification/operations.ts"
import { type PrepareContext, write } from "../../engine/definition.ts"
import { Actors, type ActorServices } from "../../engine/services.ts"
import type { Operating } from "../../kit/kind.ts"
import type { Answering } from "../../queries/serve.ts"
import type { AgentActor } from "../state.ts"
import { decideLapse, decideNotify, decideRead, isTell, type NotifyFacts } from "./decide.ts"
import { drawNotification, NO_NOTIFICATION } from "./draw.ts"
import { notificationProjection } from "./projection.ts"
import { notificationsAfterQuery, notificationsNewestQuery, notificationsQuery } from "./queries.ts"

/**
 * Looks up the author record of the agent that caused the notification. The number is taken last, so that a failed
 * lookup uses none.
 */
const tellFacts = (
  input: NotificationInput,
  context: PrepareContext
): Effect.Effect<NotifyFacts, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (!isTell(input)) return yield* NO_NOTIFICATION
    const { who } = input
    if (who === undefined) return yield* drawNotification
    const actors = yield* Actors
    const author = yield* actors.ask(context, "content.author", who.agent, null)
    return { ...(yield* drawNotification), added: { [who.as]: author } }
  })

export const operations = (): Operating<typeof declared, AgentActor> => ({
  "notification.read": write({ decide: decideRead, answer: (_state, reply) => reply, projected: true }),
  "notification.tell": write({
    prepare: (_state, input, context) => tellFacts(input, context),
    decide: decideNotify,
    answer: () => null
  }),
  "notification.lapse": write({ decide: decideLapse, answer: () => null })
})

export const projections = [notificationProjection]

export const queries = ({ db, people, words, mails }: Answering) => ({
  notifications: notificationsQuery(db, { people, words, mails }),
  notifications_after: notificationsAfterQuery(db, { people, words, mails }),
  notifications_newest: notificationsNewestQuery(db)
})
