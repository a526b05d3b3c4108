/** Tells whether a post, a thread or a reply exists for the caller, even if the read models do not show it yet. */
import { Schema } from "effect"
import { Nothing, op } from "../operation.ts"
import { Caller } from "./author.ts"

/** Refused `not_found` if the content does not exist, or if an operator has hidden it from the asker. */
export const standing = op({ input: Schema.Struct({ by: Caller }), output: Nothing, askedBy: ["edge"] })

/**
 * Refused `not_found`, with the kind as `details.resource`, if the content was deleted. Hidden content still exists.
 */
export const keeping = op({ input: Nothing, output: Nothing, askedBy: [] })
