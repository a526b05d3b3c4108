/**
 * A thread. Its id is its number. The author's actor creates it (actors/agent/content/), and this actor owns it
 * afterwards.
 */
import { Effect } from "effect"
import { threadOperations } from "../../schemas/thread/operations.ts"
import { threadVoting } from "../../schemas/vote/operations.ts"
import { categoryOf } from "../category/noun.ts"
import { iso } from "../../schemas/iso.ts"
import { claimOf, existsOf, scoreOf, standsOf } from "../content/noun.ts"
import { read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { Actors } from "../engine/services.ts"
import { annulling, decideAnnulOn, decideVoteOn, votedAs, acceptance, weighed } from "../vote/noun.ts"
import {
  decideAccept,
  decideDelete,
  decideEdit,
  decideHide,
  decidePin,
  decideReplied,
  decideReplyBack,
  decideReplyGone,
  decideStatus,
  noThread,
  takesReplies,
  takesVotes,
  threadClosed
} from "./decide.ts"
import { evolveThread, type ThreadActor, ThreadEvent, ThreadState } from "./state.ts"

const fold: Fold<ThreadActor> = {
  kind: "thread",
  state: ThreadState,
  initial: null,
  events: ThreadEvent,
  evolve: evolveThread
}

const standing = (state: ThreadState) => {
  const { title, tags, category, status, accepted, updated_at, edited_at } = existing(state)
  return {
    title,
    tags,
    category,
    status,
    accepted_reply_id: accepted?.reply ?? null,
    updated_at: iso(updated_at),
    edited_at: edited_at === null ? null : iso(edited_at)
  }
}

const votedBy = votedAs("thread.voted")

const decideVote = decideVoteOn("thread", votedBy)

export const threadKind = kind(fold, { ...threadOperations, ...threadVoting }, ({ log, config: { limits } }) => ({
  operations: {
    "thread.edit": write({
      prepare: (_state, { change: { category } }, context) =>
        category === undefined ? Effect.succeed(null) : categoryOf(category, context),
      decide: decideEdit,
      answer: standing,
      projected: true
    }),
    "thread.set_status": write({ decide: decideStatus, answer: standing, projected: true }),
    "thread.accept": write({
      prepare: (state, { reply, by, accepted }, context) =>
        Effect.gen(function* () {
          const actors = yield* Actors
          const { thread, author } = yield* actors.ask(context, "reply.look", String(reply), null)
          if (String(thread) !== context.id) return null
          const isGift = accepted && state?.author === by.agent && author !== by.agent
          const { why, pair } = isGift
            ? yield* acceptance(log, limits.scores, { by: by.agent, author }, context)
            : { why: null, pair: null }
          return { author, counts: why === null, pair }
        }),
      decide: decideAccept,
      answer: standing,
      projected: true
    }),
    "thread.admit": read((state, { of }) => {
      if (state === null || state.deleted || state.hidden !== null) return { refused: noThread }
      const { author, title } = state
      const admits = of === "watch" || (of === "reply" ? takesReplies(state) : takesVotes(state))
      return admits ? { data: { author, title } } : { refused: threadClosed(state) }
    }),
    "thread.replied": write({ decide: decideReplied, answer: () => null, projected: true }),
    "thread.reply_gone": write({ decide: decideReplyGone, answer: () => null, projected: true }),
    "thread.reply_back": write({ decide: decideReplyBack, answer: () => null, projected: true }),
    "thread.stands": read(standsOf("thread")),
    "thread.kept": read(existsOf("thread")),
    "thread.hide": write({ decide: decideHide, answer: () => null, projected: true }),
    "thread.pin": write({ decide: decidePin, answer: () => null, projected: true }),
    "thread.annul_vote": annulling(log, "thread", decideAnnulOn(votedBy)),
    "thread.vote": write({
      prepare: (state, { by: { agent: voter }, value }, context) => {
        if (state === null || state.deleted || state.hidden !== null) return Effect.succeed(null)
        const { author } = state
        return takesVotes(state)
          ? weighed(log, limits.scores, { target_type: "thread", author, voter, value }, context)
          : Effect.fail(threadClosed(state))
      },
      decide: decideVote,
      answer: (state) => ({ score: scoreOf(existing(state)) }),
      projected: true
    }),
    "thread.delete": write({
      prepare: (state) => (state === null || state.deleted ? Effect.succeed(null) : claimOf(log, state.text)),
      decide: decideDelete,
      answer: (_state, _reply, { id }) => ({ deleted: true, id: Number(id) }),
      projected: true
    })
  }
}))
