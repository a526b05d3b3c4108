/** Kind `sponsorship`, id = its number; the person who declares it, and the agent that it is about. */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { AgentSponsorship, HumanSponsorship, SponsorRole, SponsorshipStatus, Verification } from "./records.ts"

/** A sponsorship by the ids of its two parties. */
export const SponsorshipFacts = Schema.Struct({
  id: Schema.Int,
  human: Schema.String,
  /** Hub id. */
  agent: Schema.String,
  role: SponsorRole,
  status: SponsorshipStatus,
  created_at: Schema.String,
  confirmed_at: Schema.NullOr(Schema.String),
  ended_at: Schema.NullOr(Schema.String)
})
export type SponsorshipFacts = typeof SponsorshipFacts.Type

const OfAgent = Schema.Struct({ agent: Schema.String })

export const sponsorshipOperations = operationsOf("sponsorship", {
  /** The caller makes sure that it may be seen. */
  "sponsorship.look": op({ input: Nothing, output: SponsorshipFacts, askedBy: ["edge"] }),
  /** The same, and where it stands in the log, for a commit that must not be overtaken by an answer of the agent. */
  "sponsorship.stands": op({
    input: Nothing,
    output: Schema.Struct({
      ...SponsorshipFacts.fields,
      seq: Schema.Int,
      /** The person had proven the address; a node of a release before does not say. */
      verified: Schema.optionalKey(Schema.Boolean)
    }),
    askedBy: []
  }),
  /** By the agent (hub id); to every other there is none. Refused `sponsorship_not_pending`, `sponsorship_limit`. */
  "sponsorship.confirm": op({ input: OfAgent, output: SponsorshipFacts, askedBy: ["edge"] }),
  "sponsorship.reject": op({ input: OfAgent, output: SponsorshipFacts, askedBy: ["edge"] }),
  /** By the person. */
  "sponsorship.withdraw": op({
    input: Schema.Struct({ human: Schema.String }),
    output: SponsorshipFacts,
    askedBy: ["edge"]
  }),
  /** The person's address was confirmed. */
  "sponsorship.verify": op({ input: Nothing, output: Nothing, askedBy: [] }),
  /** Dates the end of a declaration that is not answered. */
  "sponsorship.date": op({ input: Nothing, output: Nothing, askedBy: [] }),
  "sponsorship.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  /** With the account of one of the two. */
  "sponsorship.end": op({
    input: Schema.Struct({ status: Schema.Literals(["revoked", "withdrawn"]) }),
    output: Nothing,
    askedBy: []
  })
})

export const sponsoringOperations = operationsOf("human", {
  /**
   * In the person's own log and the sponsorship's at once. Refused `not_found` for the agent, `sponsorship_exists`,
   * `sponsorship_limit`.
   */
  "human.declare": op({
    input: Schema.Struct({ agent: Schema.String, role: SponsorRole }),
    output: SponsorshipFacts,
    askedBy: ["edge"]
  }),
  /**
   * Answers whether an agent may be made for this person, who becomes its owner; `seq`: the account's last sequence in
   * the log, for a commit beside it. Refused `not_found`, `email_owner_rule`, `sponsorship_limit`.
   */
  "human.adopts": op({
    input: Nothing,
    output: Schema.Struct({
      seq: Schema.Int,
      made: Schema.Array(Schema.String),
      /** The key of the bucket `sponsorship`; a node of a release before does not send it. */
      address: Schema.optionalKey(Schema.String)
    }),
    askedBy: []
  }),
  /** The newest of that agent (hub id), however it stands. */
  "human.sponsorship": op({ input: OfAgent, output: Schema.Struct({ sponsorship: Schema.Int }), askedBy: ["edge"] }),
  "human.sponsorship_ended": op({
    input: Schema.Struct({ sponsorship: Schema.Int, status: SponsorshipStatus }),
    output: Nothing,
    askedBy: []
  })
})

/** The outcome of one of its sponsorships; `at`: unix ms. */
export const SponsorshipNews = Schema.Union([
  Schema.Struct({
    change: Schema.Literal("declared"),
    sponsorship: Schema.Int,
    human: Schema.String,
    role: SponsorRole,
    verified: Schema.Boolean
  }),
  Schema.Struct({ change: Schema.Literal("confirmed"), sponsorship: Schema.Int, at: Schema.Number }),
  Schema.Struct({ change: Schema.Literal("verified"), sponsorship: Schema.Int }),
  Schema.Struct({ change: Schema.Literal("ended"), sponsorship: Schema.Int, status: SponsorshipStatus })
])
export type SponsorshipNews = typeof SponsorshipNews.Type

const Events = Schema.Array(
  Schema.StructWithRest(Schema.Struct({ type: Schema.String, v: Schema.Int }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
)

/**
 * The events for the agent's log, and where that log stands. `also`: deliveries to the agent's webhook; a node of a release
 * before has none.
 */
const AgentAdmits = Schema.Struct({
  seq: Schema.Int,
  events: Events,
  also: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        kind: Schema.String,
        id: Schema.String,
        expected: Schema.Int,
        events: Events,
        keepSeconds: Schema.optionalKey(Schema.Int)
      })
    )
  )
})
export type AgentAdmits = typeof AgentAdmits.Type

export const sponsoredOperations = operationsOf("agent", {
  /**
   * Answers whether one more may be declared by a person whose address is `verified` or not, or confirmed. Refused
   * `not_found` or `sponsorship_limit`. With `as`, the answer has the agent's own events of it, for a commit beside
   * them that expects the agent at `seq`. So the limit holds for the moment of that commit. `null`: the agent is told
   * later, by nodes of a release before.
   */
  "sponsorship.admits": op({
    input: Schema.Union([
      Schema.Struct({
        to: Schema.Literal("declare"),
        verified: Schema.Boolean,
        as: Schema.optionalKey(Schema.Struct({ sponsorship: Schema.Int, human: Schema.String, role: SponsorRole }))
      }),
      Schema.Struct({
        to: Schema.Literal("confirm"),
        /** `at`: unix ms. */
        as: Schema.optionalKey(Schema.Struct({ sponsorship: Schema.Int, at: Schema.Number }))
      })
    ]),
    output: Schema.NullOr(AgentAdmits),
    askedBy: []
  }),
  "sponsorship.told": op({ input: SponsorshipNews, output: Nothing, askedBy: [] })
})

export const PersonRecord = Schema.Struct({ id: Schema.String, name: Schema.String, verification: Verification })
export type PersonRecord = typeof PersonRecord.Type

/** People in one question. */
export const PEOPLE_ASKED_MAX = 200

export const sponsorshipQueries = {
  /** Newest first. */
  sponsorships: query({
    input: Schema.Struct({ agent: Schema.String, page: Schema.Int, per_page: Schema.Int }),
    output: paged(AgentSponsorship)
  }),
  /** All that are open, and the latest of those that ended; newest first. */
  sponsored: query({ input: Schema.Struct({ human: Schema.String }), output: Schema.Array(HumanSponsorship) }),
  /** Agents that have confirmed it, as far as they are shown. */
  sponsored_agents: query({ input: Schema.Struct({ human: Schema.String }), output: Schema.Array(Author) }),
  /** As everybody sees them; who has no account any more is left out. Answered by those who have the keys for it. */
  people: query({ input: Schema.Struct({ ids: Schema.Array(Schema.String) }), output: Schema.Array(PersonRecord) })
}
