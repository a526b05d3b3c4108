/** The read models that are made of the log, all under one watermark: a page never shows half of a commit. */
import type { Transaction } from "kysely"
import { streams } from "../../schemas/subjects.ts"
import type { Database } from "../database.ts"
import type { Commit } from "../engine/ports.ts"
import { agentRows, clearAgents, writeAgents } from "./agents.ts"
import { clearCategories, writeCategories } from "./categories.ts"
import { writeIdentities } from "./identities.ts"
import { clearNotifications, writeNotifications } from "./notifications.ts"
import type { Message, Projection } from "./projection.ts"

const text = new TextDecoder()

/** Kinds whose commits end in a read model; others are read past. */
const PROJECTED = new Set(["agent", "category"])

export const mainProjection: Projection = {
  name: "main",
  stream: streams.events,
  version: 2,
  clear: async (trx: Transaction<Database>) => {
    await clearAgents(trx)
    await clearCategories(trx)
    await clearNotifications(trx)
  },
  apply: async (trx: Transaction<Database>, batch: ReadonlyArray<Message>) => {
    const commits = batch
      .filter((message) => PROJECTED.has(message.kind) && message.data.length > 0)
      .map((message) => ({ kind: message.kind, id: message.id, commit: JSON.parse(text.decode(message.data)) as Commit }))
    const of = (kind: string) => commits.filter((commit) => commit.kind === kind)
    const agents = agentRows(of("agent"))
    await writeAgents(trx, agents)
    await writeNotifications(trx, of("agent"))
    await writeIdentities(trx, agents, batch.at(-1)?.seq ?? 0)
    await writeCategories(trx, of("category"))
  }
}
