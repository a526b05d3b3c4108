/** The whole verdict on what a website reports: read here, judged where the agent lives (spec 4.7). */
import { Effect } from "effect"
import type { Bus } from "../bus/bus.ts"
import type { Verdict } from "../../schemas/identity/records.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import { type OwnNames, readClaim, type Report, unknownNumber, verdictOnNobody } from "./claim.ts"
import type { AgentNumbers } from "./numbers.ts"

export type Judge = (call: Call, report: Report) => Effect.Effect<Verdict, Refused>

export const judgeOf = (bus: Bus, numbers: AgentNumbers, own: OwnNames): Judge => (call, report) => {
  const reading = readClaim(report, own)
  if (reading.kind === "verdict") return Effect.succeed(verdictOnNobody(reading.scheme, reading.reason, reading.message))
  const { number, scheme, proof } = reading
  const unknown = unknownNumber(scheme, proof === null)
  return Effect.flatMap(numbers.agentOf(call, number), (actor) =>
    actor === null
      ? Effect.succeed(unknown)
      : Effect.map(bus.read(call, { kind: "agent", actor, op: "identity.verify", input: { scheme, proof } }), (verdict) => verdict ?? unknown)
  )
}
