/** Sponsorships: declared and withdrawn by people, confirmed and rejected by agents (spec 3.4; contract 6, 20). */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import { DeclareAgent, SponsorshipApi } from "../../schemas/sponsorship/api.ts"
import type { SponsorshipFacts } from "../../schemas/sponsorship/operations.ts"
import { type AgentSponsorship, ownerRights } from "../../schemas/sponsorship/records.ts"
import { admitted, numberOf } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataItems, dataValue, type Response } from "../http/respond.ts"
import { asking } from "../human/index.ts"
import { Sponsoring } from "./sponsoring.ts"
import { signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeDeclared = bodyDecoder(DeclareAgent)

const CREATED = 201
const noSponsorship = refuse(notFound("sponsorship"))

type Human = AgentSponsorship["human"]

const toAgent = ({ agent: _agent, ...facts }: SponsorshipFacts, human: Human): AgentSponsorship => ({
  ...facts,
  may: ownerRights(facts.status),
  sponsorship_id: facts.id,
  human
})

/** Stored answers leave out the person's name. A repeated request reads it again while the account exists. */
const decidedAnswer = (stands: SponsorshipFacts, human: Human): Response => ({
  ...dataValue(toAgent(stands, human)),
  remake: JSON.stringify(stands)
})

export const sponsorshipRoutes = (parts: EdgeParts) => {
  const {
    bus,
    lists,
    config: { hub }
  } = parts
  const sponsoring = new Sponsoring(parts)
  const personOf = (call: Call, id: string): Effect.Effect<Human, Refused> =>
    bus.read(call, { actor: id, op: "human.shown", input: null }).pipe(
      Effect.map(({ name, verification }): Human => ({ id, name, verification })),
      Effect.catchIf(
        ({ refusal: { code } }) => code === "not_found",
        () => Effect.succeed<Human>({ id, name: null, verification: "none" })
      )
    )

  /** Facts for the answer are read first, because nothing may fail after the decision. */
  const decided = (call: Call, text: string, op: "sponsorship.confirm" | "sponsorship.reject") =>
    Effect.gen(function* () {
      yield* numberOf("sponsorship", text)
      if (call.remake !== null) {
        const stands = JSON.parse(call.remake) as SponsorshipFacts
        return decidedAnswer(stands, yield* personOf(call, stands.human))
      }
      const { agent } = yield* admitted(bus, call)
      const found = yield* bus.read(call, { actor: text, op: "sponsorship.look", input: null })
      if (found.agent !== agent) return yield* Effect.fail(noSponsorship)
      const human = yield* personOf(call, found.human)
      const stands = yield* bus.read(call, { actor: text, op, input: { agent } })
      return decidedAnswer(stands, human)
    })

  return routesOf(SponsorshipApi, {
    listMySponsorships: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const { items, total } = yield* lists.page(call, "sponsorships", { ...page, agent })
        return dataItems(items, pageMeta(page, total))
      }),
    confirmSponsorship: (call, { params }) => decided(call, params.id, "sponsorship.confirm"),
    rejectSponsorship: (call, { params }) => decided(call, params.id, "sponsorship.reject"),
    declareAgent: (call) =>
      Effect.gen(function* () {
        const { agent, role = "guarantor" } = yield* decodeDeclared(call)
        return dataValue(yield* sponsoring.declare(call, asking(call).human, { agent, role }), CREATED)
      }),
    withdrawSponsorship: (call, { params }) =>
      Effect.map(sponsoring.withdraw(call, asking(call).human, params.ref), (ended) => dataValue(ended))
  })
}
