/**
 * A reply. Its id is its number. The author's actor creates it (actors/agent/content/), and this actor owns it
 * afterwards.
 */
import { Effect } from "effect"
import type { Caller } from "../../schemas/content/author.ts"
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import { replyOperations } from "../../schemas/reply/operations.ts"
import { replyVoting } from "../../schemas/vote/operations.ts"
import { iso } from "../../schemas/iso.ts"
import {
  decideHideOf,
  type HideInput,
  isForeign,
  isHidden,
  newlyNamed,
  claimOf,
  released,
  type TextClaim,
  scoreOf,
  completeTally,
  isThere
} from "../content/noun.ts"
import { custom, type Decision, read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { Actors, type Asking } from "../engine/services.ts"
import { annulling, decideAnnulOn, decideVoteOn, votedAs, weighed } from "../vote/noun.ts"
import { evolveReply, type ReplyActor, ReplyEvent, ReplyState } from "./state.ts"

const fold: Fold<ReplyActor> = {
  kind: "reply",
  state: ReplyState,
  initial: null,
  events: ReplyEvent,
  evolve: evolveReply
}

const gone = { refused: notFound("reply") }
const notAuthor = { refused: refusal("not_author", "This is somebody else's reply: only its author may do that.") }

const decideEdit = (
  reply: ReplyState,
  { by, body, mentions }: { readonly by: Caller; readonly body: string; readonly mentions: ReadonlyArray<string> }
): Decision<ReplyEvent> => {
  if (reply === null || reply.deleted) return gone
  const { thread, author, mentioned, hidden } = reply
  if (author !== by.agent) return notAuthor
  if (hidden !== null) return isHidden
  return { events: [{ type: "reply.edited", v: 1, body, thread, author, mentions: newlyNamed(mentioned, mentions) }] }
}

/** Deletes the reply and releases the claim on its text, so that the author may publish the text again. */
const decideDelete = (
  reply: ReplyState,
  { by }: { readonly by: Caller },
  { id, facts }: { readonly id: string; readonly facts: TextClaim | null }
): Decision<ReplyEvent> => {
  if (reply === null || reply.deleted) return gone
  const { thread, author } = reply
  const hidden = reply.hidden !== null
  if (isForeign(reply, by)) return gone
  if (author !== by.agent && !by.operator) return notAuthor
  const companions = facts === null ? [] : released(facts, "reply", Number(id))
  return {
    events: [{ type: "reply.deleted", v: 1, thread, author, by: by.agent, ...completeTally(reply), hidden }],
    companions
  }
}

/** Hides the reply in one commit with its thread, which counts its replies. */
const decideHide = (reply: ReplyState, input: HideInput): Decision<ReplyEvent> =>
  decideHideOf(
    "reply",
    (fields): ReplyEvent => ({ type: "reply.hidden", v: 1, thread: reply?.thread ?? 0, ...fields }),
    (fields): ReplyEvent => ({ type: "reply.restored", v: 1, thread: reply?.thread ?? 0, ...fields })
  )(reply, input)

/** Replies are deleted with their thread, so a missing thread is refused like a missing reply. */
const withThread = <A, R>(asked: Effect.Effect<A, Refusal, R>) =>
  Effect.mapError(asked, (refused) => (refused.code === "not_found" ? gone.refused : refused))

const threadAdmits = (thread: number, of: "vote" | "watch", context: Asking) =>
  withThread(Effect.flatMap(Actors, (actors) => actors.ask(context, "thread.admit", String(thread), { of })))

const votedBy = votedAs("reply.voted")

const decideVote = decideVoteOn("reply", votedBy)

export const replyKind = kind(fold, { ...replyOperations, ...replyVoting }, ({ log, config: { limits } }) => ({
  operations: {
    "reply.edit": write({
      decide: decideEdit,
      answer: (state, _reply, { at }) => ({ edited_at: iso(existing(state).edited_at ?? at) }),
      projected: true
    }),
    "reply.hide": write({
      decide: decideHide,
      answer: () => null,
      projected: true
    }),
    "reply.delete": write({
      prepare: (state) =>
        state === null || state.deleted || state.text === null ? Effect.succeed(null) : claimOf(log, state.text),
      decide: decideDelete,
      answer: (_state, _reply, { id }) => ({ deleted: true, id: Number(id) }),
      projected: true
    }),
    "reply.stands": custom((state, { by }, context) =>
      Effect.gen(function* () {
        if (state === null || !isThere(state, by)) return yield* Effect.fail(gone.refused)
        yield* threadAdmits(state.thread, "watch", context)
        return null
      })
    ),
    "reply.kept": custom((state, _input, context) => {
      if (state === null || state.deleted) return Effect.fail(gone.refused)
      const { thread } = state
      return withThread(Effect.flatMap(Actors, (actors) => actors.ask(context, "thread.kept", String(thread), null)))
    }),
    "reply.look": read((state) => {
      if (state === null || state.deleted || state.hidden !== null) return gone
      const { thread, author } = state
      return { data: { thread, author } }
    }),
    "reply.annul_vote": annulling(log, "reply", decideAnnulOn(votedBy)),
    "reply.vote": write({
      prepare: (state, { by: { agent: voter }, value }, context) =>
        Effect.gen(function* () {
          if (state === null || state.deleted || state.hidden !== null) return null
          yield* threadAdmits(state.thread, "vote", context)
          const { author } = state
          return yield* weighed(log, limits.scores, { target_type: "reply", author, voter, value }, context)
        }),
      decide: decideVote,
      answer: (state) => ({ score: scoreOf(existing(state)) }),
      projected: true
    })
  }
}))
