/** Tells whether a post, a thread or a reply exists for a reader, or at all. Pure. */
import type { Caller } from "../../schemas/content/author.ts"
import { notFound } from "../../schemas/errors.ts"
import { type Hideable, isForeign } from "./hiding.ts"

export const isThere = (state: Hideable, by: Caller): boolean => !state.deleted && !isForeign(state, by)

export const standsOf =
  (noun: string) =>
  (state: Hideable | null, { by }: { readonly by: Caller }) =>
    state === null || !isThere(state, by) ? { refused: notFound(noun) } : { data: null }

/** Refuses content that does not exist or was deleted. Hidden content passes. */
export const existsOf = (noun: string) => (state: Hideable | null) =>
  state === null || state.deleted ? { refused: notFound(noun) } : { data: null }
