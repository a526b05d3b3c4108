/**
 * `hub appeals`: what waits for an operator's decision. There is no table of appeals: only suspended agents can have
 * one, they are few, and each one's own actor knows best.
 */
import type { OperatorView } from "../../schemas/moderation/operations.ts"
import type { Command } from "./command.ts"

const PAGE = 200
/** Actors asked at once. */
const ABREAST = 20

export const appealsCommand: Command = {
  usage: ["appeals"],
  run: async (service) => {
    const open: Array<OperatorView> = []
    let after = ""
    for (;;) {
      const rows = await service.db
        .selectFrom("agents")
        .select("id")
        .where("status", "=", "suspended")
        .where("id", ">", after)
        .orderBy("id")
        .limit(PAGE)
        .execute()
      for (let from = 0; from < rows.length; from += ABREAST) {
        const asked = rows.slice(from, from + ABREAST).map(({ id }) => service.command("agent.inspect", id, null))
        for (const agent of await Promise.all(asked)) if (agent.appeal?.status === "open") open.push(agent)
      }
      if (rows.length < PAGE) break
      after = rows.at(-1)?.id ?? ""
    }
    return open
      .toSorted((a, b) => (a.appeal?.created_at ?? "").localeCompare(b.appeal?.created_at ?? ""))
      .map(({ id, handle, name, reason, since, until, appeal }) => ({
        id,
        handle,
        name,
        suspended: { reason, since, until },
        appeal: { text: appeal?.text, created_at: appeal?.created_at }
      }))
  }
}
