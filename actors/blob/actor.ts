/**
 * The actor of a blob. Its id is the SHA-256 of the bytes in hex. The bytes are in a separate stream, and the actor
 * deletes them there.
 */
import { Effect } from "effect"
import { blobOperations } from "../../schemas/blob/operations.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { write } from "../engine/definition.ts"
import { type Fold, kind, type KindParts } from "../kit/kind.ts"
import {
  COLLECT_TIMER,
  collecting,
  decideCollect,
  decideExpect,
  decidePurge,
  isStanding,
  PURGE_TIMER
} from "./decide.ts"
import { type BlobActor, BlobEvent, BlobState, evolveBlob } from "./state.ts"

const fold: Fold<BlobActor> = { kind: "blob", state: BlobState, initial: null, events: BlobEvent, evolve: evolveBlob }

const stores = ({ manager }: Pick<KindParts, "manager">) => {
  const asked = <A>(ask: () => Promise<A>): Effect.Effect<A, Refusal> =>
    Effect.tryPromise({ try: ask, catch: () => unavailable("The store of files does not answer at the moment.") })
  return {
    end: asked(async () => (await manager.streams.info(streams.blobs)).state.last_seq),
    /** Deletes the pieces of a condemned blob, up to `through`. Repeating it has no effect. */
    purge: (state: BlobState, id: string): Effect.Effect<void, Refusal> => {
      const through = state?.through ?? null
      if (through === null) return Effect.void
      return asked(async () => {
        await manager.streams.purge(streams.blobs, { filter: subjects.blobOf(id), seq: through + 1 })
      })
    }
  }
}

export const blobKind = kind(fold, blobOperations, (parts) => {
  const { end, purge } = stores(parts)
  const graceMs = parts.config.limits.service.blob_grace_seconds * 1000
  return {
    onTimer: { [COLLECT_TIMER]: "blob.collect", [PURGE_TIMER]: "blob.purge" },
    operations: {
      "blob.expect": write({
        prepare: (state, _input, { id }) => purge(state, id),
        decide: (state, input, context) => decideExpect(state, input, context, graceMs),
        answer: (state) => ({ stored: isStanding(state) && state.names > 0 })
      }),
      "blob.collect": write({
        prepare: (state, fired, { at }) => (collecting(state, fired, at) === "due" ? end : Effect.succeed(0)),
        decide: decideCollect,
        answer: () => null
      }),
      "blob.purge": write({
        prepare: (state, _fired, { id }) => purge(state, id),
        decide: decidePurge,
        answer: () => null
      })
    }
  }
})
