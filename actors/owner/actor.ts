/**
 * A message between an agent and its owners. Its id is its number. The agent's actor creates it, and this actor owns it
 * afterwards.
 */
import { Effect } from "effect"
import { ownerMessageOperations, type SealedMessage } from "../../schemas/owner/operations.ts"
import { iso } from "../../schemas/iso.ts"
import { custom, read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { decideRead, noMessage } from "./decide.ts"
import { ownerMessageRecords, openedWords } from "./records.ts"
import {
  evolveOwnerMessage,
  type OwnerMessageActor,
  OwnerMessageEvent,
  OwnerMessageState,
  type OwnerMessageValue
} from "./state.ts"

const fold: Fold<OwnerMessageActor> = {
  kind: "owner_message",
  state: OwnerMessageState,
  initial: null,
  events: OwnerMessageEvent,
  evolve: evolveOwnerMessage
}

const rowOf = (id: string, { agent: _agent, created_at, read_at, ...message }: OwnerMessageValue): SealedMessage => ({
  ...message,
  id: Number(id),
  created_at: iso(created_at),
  read_at: read_at === null ? null : iso(read_at)
})

export const ownerMessageKind = kind(fold, ownerMessageOperations, ({ accounts }) => ({
  operations: {
    "owner_message.look": read((state) => {
      if (state === null) return noMessage
      const { agent, human, keys } = state
      return { data: { agent, human, readers: keys.map((key) => key.human) } }
    }),
    "owner_message.read": write({
      decide: decideRead,
      answer: (state, _reply, { at }) => ({ read_at: iso(existing(state).read_at ?? at) }),
      projected: true
    }),
    "owner_message.words": custom((state, _input, context) =>
      state === null
        ? Effect.fail(noMessage.refused)
        : Effect.map(
            openedWords(accounts, Number(context.id), state, context),
            (words) => words ?? { text: null, options: null }
          )
    ),
    "owner_message.whole": custom((state, _input, context) =>
      state === null
        ? Effect.fail(noMessage.refused)
        : Effect.flatMap(ownerMessageRecords(accounts, [rowOf(context.id, state)], context), ([message]) =>
            message === undefined ? Effect.fail(noMessage.refused) : Effect.succeed(message)
          )
    )
  }
}))
