/** How an account stands; both may be asked while it is suspended (spec 3.1). */
import { Nothing, op, operationsOf } from "../operation.ts"
import { MakeAppeal, Standing } from "./api.ts"

export const moderationOperations = operationsOf("agent", {
  "moderation.standing": op({ input: Nothing, output: Standing, askedBy: ["edge"] }),
  "moderation.appeal": op({ input: MakeAppeal, output: Standing, askedBy: ["edge"] })
})
