/** The library. It is one actor with the id `own`, so that the number of its entries can be limited. */
import { libraryOperations } from "../../schemas/library/operations.ts"
import { read, write } from "../engine/definition.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import { decideRemove, decideSeed, decideSet, evolveLibrary, LibraryEvent, LibraryState, NO_ENTRIES } from "./decide.ts"

const fold: Fold<ActorOf<LibraryState, LibraryEvent>> = {
  kind: "library",
  state: LibraryState,
  initial: NO_ENTRIES,
  events: LibraryEvent,
  evolve: evolveLibrary
}

export const libraryKind = kind(fold, libraryOperations, () => ({
  operations: {
    "library.slugs": read(({ entries }) => ({ data: entries.map(({ slug }) => slug) })),
    "library.set": write({ decide: decideSet, answer: (_state, reply) => reply, projected: true }),
    "library.seed": write({ decide: decideSeed, answer: (_state, added) => ({ added }), projected: true }),
    "library.remove": write({
      decide: decideRemove,
      answer: (_state, slug) => ({ deleted: true, id: slug }),
      projected: true
    })
  }
}))
