/** The verdict on a website's report. It is parsed here, and judged by the agent's actor (spec 4.7). */
import { Effect } from "effect"
import type { Bus } from "../bus/bus.ts"
import type { Verdict } from "../../schemas/identity/records.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import { readClaim, unknownNumber, verdictOnNobody } from "./claim.ts"
import type { AgentNumbers } from "./numbers.ts"
import type { OwnNames, Report } from "./reading.ts"

/** The verdict as ready JSON: an actor's answer is passed on unchanged. */
export type Judge = (call: Call, report: Report) => Effect.Effect<Uint8Array, Refused>

export const judgeOf =
  (bus: Bus, numbers: AgentNumbers, own: OwnNames): Judge =>
  (call, report) => {
    const reading = readClaim(report, own)
    if (reading.kind === "verdict")
      return Effect.succeed(jsonOf(verdictOnNobody(reading.scheme, reading.reason, reading.message)))
    const { number, scheme, proof } = reading
    return Effect.flatMap(numbers.agentOf(call, number), (actor) =>
      actor === null
        ? Effect.succeed(jsonOf(unknownNumber(scheme, proof === null)))
        : Effect.map(bus.ask(call, { actor, op: "identity.verify", input: { scheme, proof } }), (said) =>
            // `null` means that no agent has the number after all.
            said.length > NULL_LENGTH ? said : jsonOf(unknownNumber(scheme, proof === null))
          )
    )
  }

const NULL_LENGTH = "null".length

const jsonOf = (verdict: Verdict): Uint8Array => Buffer.from(JSON.stringify(verdict))
