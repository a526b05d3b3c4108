/** Tells an actor node to give its shards to the others and to end cleanly, as SIGTERM does. */
import { html, type Html } from "../../../edge/kit/html.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { requestsOf } from "../../../actors/log/requests.ts"
import { Fault } from "../../cli/fault.ts"
import { noteActed } from "../audit.ts"
import type { ConsoleAction, Visit } from "../page.ts"

const TOLD_WITHIN_MS = 3000

export const drainNode: ConsoleAction = {
  name: "drain-node",
  button: "Drain",
  says: "The node ends what it has begun, gives its shards to the other nodes and ends. Requests wait for a moment. Its supervisor starts it anew, so stop it there if it is to stay away.",
  run: async ({ parts, operator, why, fields }) => {
    const { service } = parts
    const session = fields["session"] ?? ""
    const live = service.view.sessions()
    if (!live.includes(session)) throw new Fault("No node has this session. It may have ended already.")
    if (live.length === 1) throw new Fault("It is the only actor node. Nobody would take its shards.")
    await noteActed(parts, operator, "drain", session, why)
    const asked = requestsOf(service.nats).request(subjects.nodeDrain(session), "", TOLD_WITHIN_MS)
    const answer = await asked.catch(() => null)
    if (answer === null || answer.headers?.code === 503)
      throw new Fault(
        "The node does not take it: it is frozen, of an older release, or shares its process with others."
      )
    logNow("info", "console", { drained: session, operator: operator.name, why })
    return { to: "/", says: `Node ${session} gives its shards away and ends.` }
  }
}

/** The form for draining a node; `null` if no other node could take over. */
export const drainFields = ({ parts: { service } }: Visit): Html | null => {
  const sessions = service.view.sessions().toSorted()
  return sessions.length < 2
    ? null
    : html`<div class="field"><label for="session">Node</label>
<select id="session" name="session">${sessions.map((session) => html`<option value="${session}">${session}</option>`)}</select></div>
`
}
