/**
 * A post. Its id is its number. The author's actor creates it (actors/agent/content/), and this actor owns it
 * afterwards.
 */
import { Effect } from "effect"
import { type PostStanding, postOperations } from "../../schemas/post/operations.ts"
import { postVoting } from "../../schemas/vote/operations.ts"
import { iso } from "../../schemas/iso.ts"
import { type BlobsAt, blobsAt, naming } from "../blob/noun.ts"
import { claimOf, existsOf, scoreOf, standsOf } from "../content/noun.ts"
import { type Decision, read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { annulling, decideAnnulOn, decideVoteOn, votedAs, weighed } from "../vote/noun.ts"
import { decideDelete, decideEdit, decideFile, decideHide, noPost } from "./decide.ts"
import { blobsOf, evolvePost, type PostActor, PostEvent, PostState } from "./state.ts"

const fold: Fold<PostActor> = { kind: "post", state: PostState, initial: null, events: PostEvent, evolve: evolvePost }

const votedBy = votedAs("post.voted")

export const decideVote = decideVoteOn("post", votedBy)
export const decideAnnul = decideAnnulOn(votedBy)

const standing = (state: PostState): typeof PostStanding.Type => {
  const { title, tags, license, file, data, updated_at, edited_at } = existing(state)
  return {
    title,
    tags,
    license,
    file,
    data,
    updated_at: iso(updated_at),
    edited_at: edited_at === null ? null : iso(edited_at)
  }
}

interface Deciding {
  /** Unix ms. */
  readonly at: number
  readonly facts: { readonly blobs: BlobsAt }
}

export const postKind = kind(fold, { ...postOperations, ...postVoting }, ({ log, config: { limits } }) => {
  const graceMs = limits.service.blob_grace_seconds * 1000
  /** Adds to a decision its effect on the blobs that the post refers to. */
  const named = (state: PostState, decision: Decision<PostEvent>, { at, facts: { blobs } }: Deciding) => {
    const after = (decision.events ?? []).reduce<PostState>((next, event) => evolvePost(next, event, { at }), state)
    return naming(decision, { before: blobsOf(state), after: blobsOf(after), blobs, at, graceMs })
  }
  return {
    operations: {
      "post.edit": write({
        prepare: (state, { change: { data } }) =>
          Effect.map(blobsAt(log, data === undefined ? [] : [data, state?.data]), (blobs) => ({ blobs })),
        decide: (state, input, context) => named(state, decideEdit(state, input), context),
        answer: standing,
        projected: true
      }),
      "post.file": write({
        prepare: (state, { file }) => Effect.map(blobsAt(log, [file, state?.file]), (blobs) => ({ blobs })),
        decide: (state, input, context) => named(state, decideFile(state, input), context),
        answer: standing,
        projected: true
      }),
      "post.annul_vote": annulling(log, "post", decideAnnul),
      "post.vote": write({
        prepare: (state, { by: { agent: voter }, value }, context) => {
          if (state === null || state.deleted || state.hidden !== null) return Effect.succeed(null)
          const { author } = state
          return weighed(log, limits.scores, { target_type: "post", author, voter, value }, context)
        },
        decide: decideVote,
        answer: (state) => ({ score: scoreOf(existing(state)) }),
        projected: true
      }),
      "post.look": read((state) =>
        state === null || state.deleted || state.hidden !== null
          ? { refused: noPost }
          : { data: { author: state.author } }
      ),
      "post.stands": read(standsOf("post")),
      "post.kept": read(existsOf("post")),
      "post.hide": write({ decide: decideHide, answer: () => null, projected: true }),
      "post.delete": write({
        prepare: (state) =>
          Effect.all({
            claim: state === null || state.deleted ? Effect.succeed(null) : claimOf(log, state.text),
            blobs: blobsAt(log, blobsOf(state))
          }),
        decide: (state, input, context) => {
          const decision = decideDelete(state, input, { id: context.id, facts: context.facts.claim })
          return named(state, decision, context)
        },
        answer: (_state, _reply, { id }) => ({ deleted: true, id: Number(id) }),
        projected: true
      })
    }
  }
})
