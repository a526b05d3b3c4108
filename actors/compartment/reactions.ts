/** News of a compartment for its agent, which passes it to the owners, and the effect of reports about compartments. */
import { on, reactions, commandFor } from "../reactions/reaction.ts"
import { ReportEvent } from "../report/noun.ts"
import { CompartmentEvent } from "./state.ts"
import { iso } from "../../schemas/iso.ts"

export const compartmentNews = reactions(
  "compartment_news",
  on("compartment", CompartmentEvent, (event, { id: compartment_id }) => {
    switch (event.type) {
      case "compartment.suspended": {
        const { agent, name, reason, by } = event
        return [
          commandFor("notification.tell", agent, {
            about: "runtime.suspended",
            payload: { compartment_id, name, reason, by }
          })
        ]
      }
      case "compartment.backing_off": {
        const { agent, name, exit_code, oom_killed, restart_at } = event
        const payload = { compartment_id, name, exit_code, oom_killed, restart_at: iso(restart_at) }
        return [commandFor("notification.tell", agent, { about: "runtime.exited", payload })]
      }
      case "compartment.failed": {
        const { agent, name } = event
        const payload = { compartment_id, name, exit_code: null, oom_killed: false, restart_at: null }
        return [commandFor("notification.tell", agent, { about: "runtime.exited", payload })]
      }
      case "compartment.exited": {
        if (event.why !== "disk") return []
        const { agent, name, exit_code, oom_killed } = event
        const payload = { compartment_id, name, exit_code, oom_killed, restart_at: null }
        return [commandFor("notification.tell", agent, { about: "runtime.exited", payload })]
      }
      default:
        return []
    }
  })
)

export const reportedCompartments = reactions(
  "compartments_reported",
  on("report", ReportEvent, (event, { id }) => {
    if (event.type !== "report.filed" || event.target_type !== "compartment") return []
    const { reporter, reason, target_id } = event
    return [commandFor("compartment.reported", target_id, { reporter, reason, report: Number(id) })]
  })
)
