/** What an operation of compartments may be refused with is what its actor refuses, and no more (contract 8). */
import { describe, expect, it } from "vitest"
import {
  decideChange,
  decideDelete,
  type Decided,
  decideRestart,
  decideStart,
  decideStop
} from "../../actors/compartment/decide.ts"
import { decideLink, decideQueueFiles } from "../../actors/compartment/decide-besides.ts"
import { evolveCompartment } from "../../actors/compartment/evolve.ts"
import { type CompartmentEvent, type CompartmentState, isThere } from "../../actors/compartment/state.ts"
import { COMPARTMENT_STATUSES } from "../../schemas/compartment/records.ts"
import openapi from "../../schemas/contract/openapi.json" with { type: "json" }
import { LIMITS } from "../../schemas/limits.ts"

const AGENT = "hx000000000000000000000001"
const by = { type: "agent", agent: AGENT, operator: false } as const
const created: CompartmentEvent = {
  type: "compartment.created",
  v: 1,
  agent: AGENT,
  human: null,
  owner: null,
  name: "one",
  command: "true",
  image: "image",
  host: "host",
  secrets: [],
  hub_key: null,
  terms: "1"
}
const suspended: CompartmentEvent = {
  type: "compartment.suspended",
  v: 1,
  by: "operator",
  reason: "",
  agent: AGENT,
  name: "one"
}

const states = (): ReadonlyArray<CompartmentState> => {
  const fresh = evolveCompartment(null, created, { at: 0 })
  if (!isThere(fresh)) throw new Error("there is none")
  return COMPARTMENT_STATUSES.flatMap((status) => {
    const one = { ...fresh, status }
    return [one, evolveCompartment(one, suspended, { at: 0 })]
  })
}

const blob = { sha256: "00", size: 1 }

const OPERATIONS: Readonly<Record<string, (state: CompartmentState) => Decided>> = {
  startCompartment: (state) => decideStart(state, { by }),
  stopCompartment: (state) => decideStop(state, { by }),
  restartCompartment: (state) => decideRestart(state, { by }),
  changeCompartment: (state) =>
    decideChange(state, { by, name: null, command: "false", set: [], removed: [] }, LIMITS.runtime),
  deleteCompartment: (state) => decideDelete(state, { by, confirm: "another" }),
  putCompartmentFiles: (state) => decideQueueFiles(state, { by, dest: "", blob, key: "", files: 1 }),
  linkCompartment: (state) => decideLink(state, { by }, { hash: "", until: 1, key: "" })
}

const codesIn = (shape: unknown): ReadonlyArray<string> => {
  if (typeof shape !== "object" || shape === null) return []
  // A record's own words are no refusals.
  if ("$ref" in shape) return codesIn(sharedResponses[String(shape.$ref).replace("#/components/responses/", "")])
  if ("enum" in shape && Array.isArray(shape.enum)) return shape.enum.map(String)
  return Object.values(shape).flatMap(codesIn)
}

const sharedResponses: Readonly<Record<string, unknown>> = openapi.components.responses

const listed = (id: string): ReadonlySet<string> => {
  const operations = Object.values(openapi.paths).flatMap((methods) => Object.values(methods)) as ReadonlyArray<{
    readonly operationId: string
    readonly responses: object
  }>
  return new Set(codesIn(operations.find(({ operationId }) => operationId === `compartment.${id}`)?.responses))
}

const OF_STATE = ["compartment_busy", "compartment_suspended", "confirmation_required"]

describe("openapi.json", () => {
  it.each(Object.entries(OPERATIONS))("lists what %s is refused with in some state, and nothing else", (id, decide) => {
    const refusals = states().flatMap((state) => {
      const decision = decide(state)
      return "refused" in decision ? [decision.refused.code] : []
    })
    const codes = listed(id)
    for (const code of refusals) expect([...codes, "not_found"], id).toContain(code)
    for (const code of OF_STATE) expect(codes.has(code), `${id} ${code}`).toBe(refusals.some((one) => one === code))
  })

  it("says that whatever seals a secret needs a host", () => {
    for (const id of ["createCompartment", "changeCompartment", "putCompartmentFiles"])
      expect(listed(id).has("runtime_unavailable"), id).toBe(true)
  })
})
