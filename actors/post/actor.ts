/** A post: id = its number. It is begun by its author (actors/agent/content/), and lives here. */
import { Effect } from "effect"
import { postOperations } from "../../schemas/post/operations.ts"
import { postVoting } from "../../schemas/vote/operations.ts"
import { iso } from "../agent/profile.ts"
import { claimOf } from "../content/text.ts"
import { read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { type Fold, kind } from "../kind.ts"
import { ballotOf, scoreOf } from "../vote/ballot.ts"
import { decideVoteOn } from "../vote/decide.ts"
import { decideDelete, decideEdit, decideHide, noPost } from "./decide.ts"
import { evolvePost, type PostActor, PostEvent, PostState } from "./state.ts"

const fold: Fold<PostActor> = { kind: "post", state: PostState, initial: null, events: PostEvent, evolve: evolvePost }

export const decideVote = decideVoteOn("post", (counted): PostEvent => ({ type: "post.voted", v: 1, ...counted }))

export const postKind = kind(fold, { ...postOperations, ...postVoting }, ({ nats }) => ({
  operations: {
    "post.edit": write({
      decide: decideEdit,
      answer: (state) => {
        const { title, tags, license, updated_at, edited_at } = existing(state)
        return {
          title,
          tags,
          license,
          updated_at: iso(updated_at),
          edited_at: edited_at === null ? null : iso(edited_at)
        }
      },
      projected: true
    }),
    "post.vote": write({
      prepare: (state, { by: { agent } }, { id }) =>
        state === null || state.deleted || state.hidden !== null
          ? Effect.succeed(null)
          : ballotOf(nats, "post", Number(id), agent),
      decide: decideVote,
      answer: (state) => ({ score: scoreOf(existing(state)) }),
      projected: true
    }),
    "post.look": read((state) =>
      state === null || state.deleted || state.hidden !== null
        ? { refused: noPost }
        : { data: { author: state.author } }
    ),
    "post.hide": write({ decide: decideHide, answer: () => null, projected: true }),
    "post.delete": write({
      prepare: (state) => (state === null || state.deleted ? Effect.succeed(null) : claimOf(nats, state.text)),
      decide: decideDelete,
      answer: (_state, _reply, { id }) => ({ deleted: true, id: Number(id) }),
      projected: true
    })
  }
}))
