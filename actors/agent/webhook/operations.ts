/**
 * What the agent actor does with its webhook; what others may ask of it is declared in schemas/webhook/operations.ts.
 */
import { Effect } from "effect"
import { notFound, type Refusal } from "../../../schemas/errors.ts"
import type { WebhookToSign } from "../../../schemas/signing/webhook.ts"
import type { Webhook } from "../../../schemas/webhook/api.ts"
import type { Attempted, Signed } from "../../../schemas/webhook/operations.ts"
import { iso } from "../profile.ts"
import type { AgentEvent, AgentState } from "../state.ts"
import {
  type Decision,
  type Operation,
  type PrepareContext,
  read,
  write,
  type WriteOperation
} from "../../engine/definition.ts"
import { Sealer } from "../../engine/seal.ts"
import type { KindParts } from "../../kind.ts"
import { drawNotification, NO_NOTIFICATION } from "../notification/draw.ts"
import type { NoticeFacts } from "../notification/notify.ts"
import { Actors, type ActorServices } from "../../services.ts"
import {
  consequence,
  decideAttempted,
  decideChoose,
  decideRedelivery,
  decideRotateSecret,
  decideTest,
  destination,
  type SecretReply,
  tryRefusal,
  withDelivery
} from "./decide.ts"
import { newWebhookSecret, secretPurpose } from "./secret.ts"
import { WebhookSigner } from "./sign.ts"

type Operations = Readonly<Record<string, Operation<AgentState, AgentEvent, ActorServices>>>
type AnyWrite = WriteOperation<AgentState, never, AgentEvent, never, ActorServices>

/** Every write of an agent: where it notifies, it delivers. */
export const deliveringOperations = (operations: Operations): Operations =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      operation.type === "write" ? delivering(operation) : operation
    ])
  )

const delivering = (operation: AnyWrite): AnyWrite => {
  const { decide, contested } = operation
  const delivered = (
    state: AgentState,
    decision: Decision<AgentEvent>,
    context: { readonly id: string; readonly at: number }
  ) => withDelivery(state, decision, context)
  return {
    ...operation,
    decide: (state, input, context) => delivered(state, decide(state, input, context), context),
    ...(contested === undefined
      ? {}
      : {
          contested: (state, input, lost, context) => delivered(state, contested(state, input, lost, context), context)
        })
  }
}

interface SealedSecret {
  readonly sealedSecret: string
}

const webhookRecord = (state: AgentState): Webhook | null => {
  if (state === null) return null
  const { events, old, failing, disabled } = state.webhook
  return {
    url: state.webhook_url,
    secret_set: state.webhook_secret !== null,
    old_secret_until: old === null ? null : iso(old.until),
    events,
    failing_since: failing === null ? null : iso(failing.since),
    disabled_at: disabled === null ? null : iso(disabled.at),
    disabled_reason: disabled?.reason ?? null
  }
}

export const webhookOperations = ({ config: { limits }, seed }: KindParts): Operations => {
  const sealer = new Sealer(seed)
  const signer = new WebhookSigner(seed, sealer)

  /** The delivery's own actor judges first; asked again under the same id it gives its first answer. */
  const prepareRedelivery = (
    state: AgentState,
    delivery: string,
    context: PrepareContext
  ): Effect.Effect<null, Refusal, Actors> =>
    Effect.gen(function* () {
      const refused = tryRefusal(state, context.at, limits)
      if (refused !== null) return yield* Effect.fail(refused)
      const actors = yield* Actors
      const input = { agent: context.id }
      yield* actors.ask(context, { kind: "delivery", actor: delivery, op: "delivery.redeliver", input })
      return null
    })

  return {
    "webhook.show": read<AgentState, null>((state) =>
      state === null ? { refused: notFound("agent") } : { data: webhookRecord(state) }
    ),
    "webhook.choose": write<AgentState, { readonly events: ReadonlyArray<string> | null }, AgentEvent>({
      decide: decideChoose,
      answer: webhookRecord
    }),
    "webhook.rotate_secret": write<AgentState, null, AgentEvent, SealedSecret>({
      prepare: (_state, _input, { id }) =>
        Effect.sync(() => ({ sealedSecret: sealer.seal(newWebhookSecret(), secretPurpose(id)) })),
      decide: (state, _input, { at, facts }) => decideRotateSecret(state, facts.sealedSecret, at, limits),
      answer: (_state, reply, { id }) => {
        const { sealedSecret, old_until } = reply as SecretReply
        return {
          webhook_secret: sealer.open(sealedSecret, secretPurpose(id)),
          old_secret_until: old_until === null ? null : iso(old_until)
        }
      }
    }),
    "webhook.test": write<AgentState, null, AgentEvent, NoticeFacts, ActorServices>({
      prepare: (state, _input, { at }) => (tryRefusal(state, at, limits) === null ? drawNotification : NO_NOTIFICATION),
      decide: (state, _input, context) => decideTest(state, context, limits),
      answer: (_state, reply) => reply,
      projected: true
    }),
    "webhook.redeliver": write<AgentState, { readonly delivery: string }, AgentEvent, null, ActorServices>({
      prepare: (state, { delivery }, context) => prepareRedelivery(state, delivery, context),
      decide: (state, { delivery }, context) => decideRedelivery(state, delivery, context, limits),
      answer: (_state, reply) => reply
    }),
    "webhook.sign": read<AgentState, WebhookToSign>((state, delivery, { id, at }) => {
      // There was an agent when this was queued: a log that shows none lags.
      if (state === null) return { refused: notFound("agent") }
      const to = destination(state)
      if ("drop" in to) return { data: to }
      const signed: Signed = {
        url: to.url,
        signature: signer.signatures(id, state, delivery, at),
        failing: state.webhook.failing !== null
      }
      return { data: signed }
    }),
    "webhook.attempted": write<AgentState, Attempted, AgentEvent, NoticeFacts, ActorServices>({
      prepare: (state, attempted, { at }) => {
        const what = consequence(state, attempted, at, limits)
        return what === "warned" || what === "gone" || what === "failed_too_long" ? drawNotification : NO_NOTIFICATION
      },
      decide: (state, attempted, context) => decideAttempted(state, attempted, context, limits),
      // Switched off by this very report, not by one before.
      answer: (state, _reply, { at }) => ({
        failing: state?.webhook.failing ?? null,
        disabled: state?.webhook.disabled?.at === at
      })
    })
  }
}
