/** Carries out the outcome of a decided report, and then notifies its reporter. */
import { targetRecord } from "../../schemas/report/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { awaited, on, reactions, commandFor } from "../reactions/reaction.ts"
import { ReportEvent } from "./state.ts"

export const resolvedReports = awaited(
  reactions(
    "report_resolved",
    on("report", ReportEvent, (event, { id }) => {
      if (event.type === "report.resolved") {
        const { by, status, outcome, note, until, settled } = event
        return [commandFor("report.carry_out", id, { by, status, outcome, note, until, settled })]
      }
      if (event.type !== "report.carried_out") return []
      const { reporter, target_type, target_id, status, outcome, note } = event
      const payload = {
        report_id: Number(id),
        target_type,
        target_id: targetRecord(target_type, target_id),
        status,
        outcome,
        note,
        url: "/docs",
        api_url: `${API_PREFIX}/me/reports`
      }
      return [commandFor("notification.tell", reporter, { about: "report.resolved", payload })]
    })
  )
)
