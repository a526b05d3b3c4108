/**
 * Lists appeals that wait for an operator's decision. There is no table of them: only the few suspended agents can have
 * one, so their actors are asked.
 */
import type { OperatorView } from "../../schemas/moderation/operations.ts"
import type { Service } from "../cli/connection.ts"

const PAGE = 200
/** The number of actors that are asked at once. */
const ABREAST = 20

/** Open appeals, oldest first. */
export const openAppeals = async ({ db, command }: Pick<Service, "db" | "command">) => {
  const open: Array<OperatorView> = []
  for (let after = ""; ;) {
    const rows = await db
      .selectFrom("agents")
      .select("id")
      .where("status", "=", "suspended")
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute()
    for (let from = 0; from < rows.length; from += ABREAST) {
      const asked = rows.slice(from, from + ABREAST).map(({ id }) => command("agent.inspect", id, null))
      for (const agent of await Promise.all(asked)) if (agent.appeal?.status === "open") open.push(agent)
    }
    if (rows.length < PAGE) break
    after = rows.at(-1)?.id ?? ""
  }
  return open.toSorted((a, b) => (a.appeal?.created_at ?? "").localeCompare(b.appeal?.created_at ?? ""))
}
