/** The read models that are made of the log, all under one watermark: a page never shows half of a commit. */
import type { Transaction } from "kysely"
import { streams } from "../../schemas/subjects.ts"
import { AGENT_EVENTS } from "../agent/state.ts"
import { CATEGORY_EVENTS } from "../category/actor.ts"
import type { Database } from "../database.ts"
import { DELIVERY_EVENTS } from "../delivery/state.ts"
import { checkEvents, type Inventory } from "../engine/fold.ts"
import type { Commit } from "../engine/ports.ts"
import { agentRows, settleSeen, writeAgents } from "../agent/projection.ts"
import { writeCategories } from "../category/projection.ts"
import { writeDeliveries } from "../delivery/projection.ts"
import { writeIdentities } from "../agent/identity/projection.ts"
import { writeNotifications } from "../agent/notification/projection.ts"
import type { Message, Projection, ReadModelTable } from "./projection.ts"

const text = new TextDecoder()

const TABLES: ReadonlyArray<ReadModelTable> = [
  { name: "agents", kind: "agent", actor: "id", foreign: ["last_seen_at"] },
  { name: "score_entries", kind: "agent", actor: "agent" },
  { name: "retired_keys", kind: "agent", actor: "agent" },
  { name: "identity_blocks", kind: "agent", actor: null },
  { name: "notifications", kind: "agent", actor: "agent" },
  { name: "deliveries", kind: "delivery", actor: "id" },
  { name: "categories", kind: "category", actor: "slug" }
]

/** Kinds whose commits end in a read model, with the events that they can be made of; other kinds are read past. */
const PROJECTED: ReadonlyMap<string, Inventory> = new Map<string, Inventory>([
  ["agent", AGENT_EVENTS],
  ["delivery", DELIVERY_EVENTS],
  ["category", CATEGORY_EVENTS]
])

/** Throws `UnknownEvent`: a row without what it says would be wrong for good. */
const commitOf = ({ kind, id, seq, data }: Message) => {
  const commit = JSON.parse(text.decode(data)) as Commit
  checkEvents({ kind, events: PROJECTED.get(kind) ?? {} }, commit)
  return { kind, id, seq, commit }
}

export const mainProjection: Projection = {
  name: "main",
  stream: streams.events,
  version: 3,
  tables: TABLES,
  besides: [],
  settle: settleSeen,
  apply: async (trx: Transaction<Database>, batch: ReadonlyArray<Message>) => {
    const commits = batch.filter((message) => PROJECTED.has(message.kind) && message.data.length > 0).map(commitOf)
    const of = (kind: string) => commits.filter((commit) => commit.kind === kind)
    const agents = agentRows(of("agent"))
    await writeAgents(trx, agents)
    await writeNotifications(trx, of("agent"))
    await writeDeliveries(trx, commits)
    await writeIdentities(trx, agents)
    await writeCategories(trx, of("category"))
  }
}
