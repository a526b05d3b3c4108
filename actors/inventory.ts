/**
 * The log's side of every actor kind: how its events fold into its state. Pure, without any service: replay, the
 * committed list of events and the tests use it; actors.ts adds the operations.
 */
import { evolve as evolveAgent } from "./agent/evolve.ts"
import { AGENT_EVENTS } from "./agent/state.ts"
import { CATEGORY_EVENTS, evolveCategory } from "./category/actor.ts"
import type { ActorDefinition } from "./engine/definition.ts"
import { evolveHandle, HANDLE_EVENTS } from "./handle/actor.ts"
import { evolveKey, KEY_EVENTS } from "./key/actor.ts"
import { evolveOrigin, ORIGIN_EVENTS } from "./origin/actor.ts"
import { CHALLENGE_EVENTS, evolve as evolveChallenge } from "./registration/state.ts"

export type Fold = Pick<ActorDefinition, "kind" | "initial" | "evolve" | "events">

export const FOLDS = [
  { kind: "agent", initial: null, evolve: evolveAgent, events: AGENT_EVENTS },
  { kind: "key", initial: null, evolve: evolveKey, events: KEY_EVENTS },
  { kind: "handle", initial: null, evolve: evolveHandle, events: HANDLE_EVENTS },
  { kind: "category", initial: null, evolve: evolveCategory, events: CATEGORY_EVENTS },
  { kind: "origin", initial: { registered: [] }, evolve: evolveOrigin, events: ORIGIN_EVENTS },
  { kind: "challenge", initial: null, evolve: evolveChallenge, events: CHALLENGE_EVENTS }
] as ReadonlyArray<unknown> as ReadonlyArray<Fold>
