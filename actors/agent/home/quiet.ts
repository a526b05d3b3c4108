/**
 * Whether there is anything new for an agent since a moment, as far as its own state tells: where there is nothing, the
 * read models need not be asked (contract 19, `GET /me/home`). Pure.
 *
 * Replies, mentions and messages come with a notification. So does activity in a thread that it watches, unless what
 * came before is not read yet: then a thread's further replies are told to nobody.
 */
import type { Agent } from "../state.ts"

/**
 * A thread may not know for a moment that what it told was read, and is silent about a reply meanwhile. Many times as
 * long as a reaction takes.
 */
const SETTLED_MS = 10_000

/** `since`: unix ms. */
export const isQuiet = ({ stirred_at, watching }: Pick<Agent, "stirred_at" | "watching">, since: number): boolean =>
  stirred_at + SETTLED_MS <= since && watching.watches.every(({ unread }) => unread === null)
