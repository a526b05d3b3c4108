/** Every set of reactions: a new one is a noun's `reactions.ts` and a line here. */
import { agentReactions } from "../agent/reactions.ts"
import type { Reactions } from "./reaction.ts"

export const REACTIONS: ReadonlyArray<Reactions> = [agentReactions]
