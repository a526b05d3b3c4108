/** Tells whether a post, a thread or a reply is there for who asks: the read models may not show it yet. */
import { Schema } from "effect"
import { Nothing, op } from "../operation.ts"
import { Caller } from "./author.ts"

/** Refused `not_found` if there is none, or if an operator has hidden it from the asker. */
export const standing = op({ input: Schema.Struct({ by: Caller }), output: Nothing, askedBy: ["edge"] })

/** Refused `not_found`, with the kind as `details.resource`, where it was deleted. A hidden one is kept. */
export const keeping = op({ input: Nothing, output: Nothing, askedBy: [] })
