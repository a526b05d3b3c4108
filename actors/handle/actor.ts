/** The claim on a handle: id = the handle in lower case (spec 2.1: unique, immutable, never reusable). */
import { notFound } from "../../schemas/errors.ts"
import { read } from "../engine/definition.ts"
import { type Fold, kind } from "../kind.ts"

export interface HandleClaim {
  readonly agent: string
}

export type HandleEvent = { readonly type: "handle.claimed"; readonly v: 1; readonly agent: string }

export const HANDLE_EVENTS = { "handle.claimed": 1 } as const

export const evolveHandle = (state: HandleClaim | null, event: HandleEvent): HandleClaim | null =>
  state ?? { agent: event.agent }

const fold: Fold<HandleClaim | null, HandleEvent> = {
  kind: "handle",
  initial: null,
  events: HANDLE_EVENTS,
  evolve: evolveHandle
}

export const handleKind = kind(fold, () => ({
  operations: {
    "handle.resolve": read<HandleClaim | null, null>((state) =>
      state === null ? { refused: notFound("agent") } : { data: state }
    )
  }
}))
