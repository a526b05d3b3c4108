/** The agent actor's operations that publish and count its content. */
import { Effect, Fiber } from "effect"
import { codePointsUpTo } from "../../../schemas/code-points.ts"
import type { contentOperations as declared } from "../../../schemas/content/operations.ts"
import { invalidField, type Refusal } from "../../../schemas/errors.ts"
import type { publishOperations } from "../../../schemas/post/operations.ts"
import type { replyingOperations } from "../../../schemas/reply/operations.ts"
import { DUPLICATE_REPLY_MIN_CHARS } from "../../../schemas/reply/records.ts"
import type { openingOperations } from "../../../schemas/thread/operations.ts"
import type { ratingOperations } from "../../../schemas/vote/operations.ts"
import type { CounterName } from "../../../schemas/subjects.ts"
import { blobsAt } from "../../blob/noun.ts"
import { authorOf, claimOf, duplicate, type TextClaim, textOf } from "../../content/noun.ts"
import { once, type PrepareContext, read, write } from "../../engine/definition.ts"
import { existing } from "../../engine/existing.ts"
import type { Operating } from "../../kit/kind.ts"
import { uploadDraw } from "../../limit/noun.ts"
import { Actors, Counters } from "../../engine/services.ts"
import { missing, statusRefusal } from "../decide.ts"
import { drawNotification } from "../notification/draw.ts"
import type { AgentParts } from "../parts.ts"
import { iso } from "../../../schemas/iso.ts"
import type { AgentActor, AgentState } from "../state.ts"
import {
  decideCount,
  decideOpenThread,
  decidePublishPost,
  decideReply,
  type Published,
  type PublishFacts
} from "./publish.ts"
import { decideAcceptance, decideHidden, decideRated, decideUnrated, votingParty } from "./rating.ts"
import { categoryOf } from "../../category/noun.ts"

type Declared = typeof publishOperations &
  typeof openingOperations &
  typeof replyingOperations &
  typeof ratingOperations &
  typeof declared

const noParent = invalidField("parent_id", "parent_id must be the id of a reply to the same thread.")

export const operations = ({
  log,
  nats,
  meter,
  config: { baseUrl, limits }
}: AgentParts): Operating<Declared, AgentActor> => {
  const graceMs = limits.service.blob_grace_seconds * 1000
  const upload = uploadDraw(nats, limits)
  const next = (counter: CounterName) => Effect.flatMap(Counters, (counters) => counters.next(counter))
  /** Takes a number and looks up the claim on the text at the same time. The number of a duplicate stays unused. */
  const facts = (counter: CounterName, text: string): Effect.Effect<PublishFacts, Refusal, Counters> =>
    Effect.gen(function* () {
      const drawing = yield* Effect.forkChild(next(counter))
      const claim = yield* claimOf(log, text)
      if (claim.held !== null) return yield* Effect.fail(duplicate(claim.held))
      return { number: yield* Fiber.join(drawing), claim }
    })
  const published = (
    state: AgentState,
    { number }: Published,
    { id, at }: { readonly id: string; readonly at: number }
  ) => ({
    id: number,
    created_at: iso(at),
    author: authorOf(id, existing(state), baseUrl)
  })
  const parentOf = (thread: number, parent: number | null, context: PrepareContext) =>
    Effect.gen(function* () {
      if (parent === null) return null
      const actors = yield* Actors
      const found = yield* Effect.mapError(actors.ask(context, "reply.look", String(parent), null), (refused) =>
        refused.code === "not_found" ? noParent : refused
      )
      return found.thread === thread ? { reply: parent, author: found.author } : yield* Effect.fail(noParent)
    })
  return {
    "post.publish": write({
      prepare: (_state, { body, data = null }, { id }) =>
        Effect.gen(function* () {
          const drawn = yield* facts("post", textOf("post", id, body))
          return { ...drawn, blobs: yield* blobsAt(log, [data]) }
        }),
      decide: (state, input, context) => decidePublishPost(state, input, { ...context, graceMs }),
      answer: published,
      projected: true
    }),
    "thread.publish": write({
      prepare: (_state, { category: slug, body }, context) =>
        Effect.gen(function* () {
          const category = yield* categoryOf(slug, context)
          return { ...(yield* facts("thread", textOf("thread", context.id, body))), category }
        }),
      decide: decideOpenThread,
      answer: (state, reply, context) => ({ ...published(state, reply, context), category: reply.category }),
      projected: true
    }),
    "reply.write": write({
      prepare: (_state, { thread: number, parent: of, body }, context) =>
        Effect.gen(function* () {
          const actors = yield* Actors
          const short = codePointsUpTo(body, DUPLICATE_REPLY_MIN_CHARS) < DUPLICATE_REPLY_MIN_CHARS
          const drawing = yield* Effect.forkChild(
            short
              ? Effect.map(next("reply"), (drawn): PublishFacts<TextClaim | null> => ({ number: drawn, claim: null }))
              : facts("reply", textOf("reply", context.id, body))
          )
          const thread = yield* actors.ask(context, "thread.admit", String(number), { of: "reply" })
          const parent = yield* parentOf(number, of, context)
          return { ...(yield* Fiber.join(drawing)), thread, parent }
        }),
      decide: decideReply,
      answer: (state, reply, context) => ({ ...published(state, reply, context), thread_title: reply.thread_title }),
      projected: true
    }),
    "vote.party": read((state, _input, { at }) =>
      state === null ? missing : { data: votingParty(state, at, limits.scores) }
    ),
    "vote.rated": write({ decide: decideRated, answer: () => null, projected: true }),
    "vote.unrated": write({ decide: decideUnrated, answer: () => null, projected: true }),
    "reply.rated": write({ decide: decideAcceptance, answer: () => null, projected: true }),
    "content.hidden": write({
      prepare: () => drawNotification,
      decide: decideHidden,
      answer: () => null,
      projected: true
    }),
    "content.rights": read((state) => ({ data: { operator: state?.roles.includes("operator") ?? false } })),
    "content.author": read((state, _input, { id }) =>
      state === null ? missing : { data: authorOf(id, state, baseUrl) }
    ),
    "content.count": write({ decide: decideCount, answer: () => null, projected: true }),
    "content.admit": once((state, { bytes, upload: uploaded = 0, holder }, { id, memory }) => {
      if (state === null) return Effect.fail(missing.refused)
      // The gate checks for a suspension only if an operation writes or draws on a bucket, so it is checked here too.
      const closed = statusRefusal(state, true)
      if (closed !== null) return Effect.fail(closed)
      const { roles, handle } = state
      const by = { holder }
      const drawn = Effect.andThen(meter.admit(bytes, { id, memory }, by), upload(memory.uploadBytes, id, uploaded))
      return Effect.map(drawn, () => {
        meter.spent(bytes, { id, memory }, by)
        return { agent: id, operator: roles.includes("operator"), handle }
      })
    })
  }
}
