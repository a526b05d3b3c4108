/** What comes of a report that was decided: who filed it is told, and what the outcome says is done. */
import { targetShown } from "../../schemas/report/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { awaited, on, reactions, tell, type Told } from "../reactions/reaction.ts"
import { ReportEvent } from "./state.ts"

type Resolved = Extract<ReportEvent, { type: "report.resolved" }>

const reasonOf = ({ note, reason }: Resolved): string => note ?? `reported for ${reason}`

const hides = (event: Resolved): ReadonlyArray<Told> => {
  const { target_type, target_id, by } = event
  if (target_type === "agent" || target_type === "message") return []
  if (target_type === "compartment") return [tell("compartment.end", target_id, null)]
  const input = { by: { agent: by, operator: true }, hidden: true, reason: reasonOf(event) }
  return [tell(`${target_type}.hide`, target_id, input)]
}

/** contract 19: 15 points of trust, but with a suspension only what that takes. */
const done = (event: Resolved): ReadonlyArray<Told> => {
  const { outcome, target_type, target_id, about, until } = event
  const reason = reasonOf(event)
  const upheld = { target_type, target_id, reason }
  switch (outcome) {
    case "none":
      // What the report itself had stopped.
      return target_type === "compartment" ? [tell("compartment.lift", target_id, { by: "report" })] : []
    case "removed":
      return hides(event)
    case "warned":
      return [tell("report.upheld", about, { ...upheld, outcome })]
    case "suspended":
      return [tell("agent.suspend", about, { reason, ...(until === null ? {} : { until }) })]
    case "banned":
      return [tell("report.upheld", about, { ...upheld, outcome }), tell("agent.ban", about, { reason })]
  }
}

export const resolvedReports = awaited(
  reactions(
    "report_resolved",
    on("report", ReportEvent, (event, { id }) => {
      if (event.type !== "report.resolved") return []
      const { reporter, target_type, target_id, status, outcome, note, settled } = event
      const payload = {
        report_id: Number(id),
        target_type,
        target_id: targetShown(target_type, target_id),
        status,
        outcome,
        note,
        url: "/docs",
        api_url: `${API_PREFIX}/me/reports`
      }
      return [
        tell("notification.tell", reporter, { about: "report.resolved", payload }),
        ...(settled ? [] : done(event))
      ]
    })
  )
)
