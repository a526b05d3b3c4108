/** The agent actor's operations on its webhook. schemas/webhook/operations.ts declares those that others may call. */
import { Effect } from "effect"
import { notFound, type Refusal } from "../../../schemas/errors.ts"
import type { Webhook } from "../../../schemas/webhook/api.ts"
import { type Signed, webhookOperations as declared } from "../../../schemas/webhook/operations.ts"
import { type PrepareContext, read, type Result, write } from "../../engine/definition.ts"
import { existing } from "../../engine/existing.ts"
import { Sealer } from "../../log/seal.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { Actors } from "../../engine/services.ts"
import { drawNotification, NO_NOTIFICATION } from "../notification/draw.ts"
import { iso } from "../../../schemas/iso.ts"
import type { Agent, AgentActor, AgentState } from "../state.ts"
import {
  consequence,
  decideAttempted,
  decideChoose,
  decidePause,
  decideRedelivery,
  decideResume,
  decideRotateSecret,
  decideTest,
  destination,
  tryRefusal
} from "./decide.ts"
import { newWebhookSecret, secretPurpose } from "./secret.ts"
import { WebhookSigner } from "./sign.ts"
import { deliveryProjection } from "./deliveries.ts"
import { PausedRows } from "./projection.ts"

const webhookRecord = (agent: Agent): Webhook => {
  const { events, old, failing, disabled, paused } = agent.webhook
  return {
    url: agent.webhook_url,
    secret_set: agent.webhook_secret !== null,
    old_secret_until: old[0] === undefined ? null : iso(old[0].until),
    events,
    failing_since: failing === null ? null : iso(failing.since),
    disabled_at: disabled === null ? null : iso(disabled.at),
    disabled_reason: disabled?.reason ?? null,
    paused_at: paused === undefined ? null : iso(paused)
  }
}

export const operations = ({ config: { limits }, seed }: KindParts): Operating<typeof declared, AgentActor> => {
  const sealer = new Sealer(seed)
  const signer = new WebhookSigner(seed, sealer)

  /**
   * Checks the webhook's limit, then asks the delivery's own actor. A repeated request has the same command id, so that
   * actor returns its first answer.
   */
  const prepareRedelivery = (
    state: AgentState,
    delivery: string,
    context: PrepareContext
  ): Effect.Effect<null, Refusal, Actors> =>
    Effect.gen(function* () {
      const refused = tryRefusal(state, context.at, limits)
      if (refused !== null) return yield* Effect.fail(refused)
      const actors = yield* Actors
      yield* actors.ask(context, "delivery.redeliver", delivery, { agent: context.id })
      return null
    })

  return {
    "webhook.show": read((state) => (state === null ? { refused: notFound("agent") } : { data: webhookRecord(state) })),
    "webhook.choose": write({
      decide: decideChoose,
      answer: (state) => webhookRecord(existing(state))
    }),
    "webhook.rotate_secret": write({
      prepare: (_state, _input, { id }) =>
        Effect.sync(() => ({ sealedSecret: sealer.seal(newWebhookSecret(), secretPurpose(id)) })),
      decide: (state, _input, { at, facts }) => decideRotateSecret(state, facts.sealedSecret, at, limits),
      answer: (_state, { sealedSecret, old_until }, { id }) => ({
        webhook_secret: sealer.open(sealedSecret, secretPurpose(id)),
        old_secret_until: old_until === null ? null : iso(old_until)
      })
    }),
    "webhook.test": write({
      prepare: (state, _input, { at }) => (tryRefusal(state, at, limits) === null ? drawNotification : NO_NOTIFICATION),
      decide: (state, _input, context) => decideTest(state, context, limits),
      answer: (_state, reply) => reply,
      projected: true
    }),
    "webhook.redeliver": write({
      prepare: (state, { delivery }, context) => prepareRedelivery(state, delivery, context),
      decide: (state, { delivery }, context) => decideRedelivery(state, delivery, context, limits),
      answer: (_state, reply) => reply
    }),
    "webhook.pause": write({ decide: decidePause, answer: (_state, reply) => reply, projected: true }),
    "webhook.resume": write({ decide: decideResume, answer: (_state, reply) => reply, projected: true }),
    "webhook.sign": read((state, delivery, { id, at }): Result<Signed> => {
      // An agent existed when the delivery was queued. If this node has no state of it, its log lags behind.
      if (state === null) return { refused: notFound("agent") }
      const to = destination(state)
      if ("drop" in to) return { data: to }
      if (state.webhook.paused !== undefined) return { data: { paused: true } }
      const signature = signer.signatures(id, state, delivery, at)
      return { data: { url: to.url, signature, failing: state.webhook.failing !== null } }
    }),
    "webhook.attempted": write({
      prepare: (state, attempted, { at }) => {
        const what = consequence(state, attempted, at, limits)
        return what === "warned" || what === "gone" || what === "failed_too_long" ? drawNotification : NO_NOTIFICATION
      },
      decide: (state, attempted, context) => decideAttempted(state, attempted, context, limits),
      // True only if this attempt's report disabled the webhook.
      answer: (state, _reply, { at }) => ({
        failing: state?.webhook.failing ?? null,
        disabled: state?.webhook.disabled?.at === at
      })
    })
  }
}

export const tables = [{ name: "paused_webhooks", kind: "agent", actor: "agent" }] as const

export const rows = () => new PausedRows()

export const projections = [deliveryProjection]
