/** Kind `sponsorship`, whose id is a number. It is between the person who declares it and an agent. */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { AgentSponsorship, HumanSponsorship, SponsorRole, SponsorshipStatus, Verification } from "./records.ts"

/** A sponsorship by the ids of its two parties. */
export const SponsorshipFacts = Schema.Struct({
  id: Schema.Int,
  human: Schema.String,
  /** The agent's hub id. */
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
  /** The actor does not check who may see the sponsorship: the edge must check this. */
  "sponsorship.look": op({ input: Nothing, output: SponsorshipFacts, askedBy: ["edge"] }),
  /**
   * The same with the actor's last sequence in the log. A commit that expects this sequence fails if the agent has
   * answered meanwhile.
   */
  "sponsorship.stands": op({
    input: Nothing,
    output: Schema.Struct({
      ...SponsorshipFacts.fields,
      seq: Schema.Int,
      /** True if the person's address was verified. Nodes of an earlier release do not send it. */
      verified: Schema.optionalKey(Schema.Boolean)
    }),
    askedBy: []
  }),
  /**
   * The agent (hub id) confirms. Refused `not_found` for other agents, `sponsorship_not_pending`, `sponsorship_limit`.
   */
  "sponsorship.confirm": op({ input: OfAgent, output: SponsorshipFacts, askedBy: ["edge"] }),
  "sponsorship.reject": op({ input: OfAgent, output: SponsorshipFacts, askedBy: ["edge"] }),
  "sponsorship.withdraw": op({
    input: Schema.Struct({ human: Schema.String }),
    output: SponsorshipFacts,
    askedBy: ["edge"]
  }),
  /** Records that the person's address was confirmed. */
  "sponsorship.verify": op({ input: Nothing, output: Nothing, askedBy: [] }),
  /** Sets the time at which an unanswered declaration expires. */
  "sponsorship.date": op({ input: Nothing, output: Nothing, askedBy: [] }),
  "sponsorship.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  /** The account of the person or of the agent has ended. */
  "sponsorship.end": op({
    input: Schema.Struct({ status: Schema.Literals(["revoked", "withdrawn"]) }),
    output: Nothing,
    askedBy: []
  })
})

export const sponsoringOperations = operationsOf("human", {
  /**
   * Writes to the logs of the person and of the sponsorship in one commit. Refused `not_found` for the agent,
   * `sponsorship_exists`, `sponsorship_limit`, `rate_limited`.
   */
  "human.declare": op({
    input: Schema.Struct({ agent: Schema.String, role: SponsorRole }),
    output: SponsorshipFacts,
    askedBy: ["edge"]
  }),
  /**
   * Answers whether an agent may be made for this person, who becomes its owner. `seq` is the account's last sequence
   * in the log, for a commit together with it. Refused `not_found`, `email_owner_rule`, `sponsorship_limit`.
   */
  "human.adopts": op({
    input: Nothing,
    output: Schema.Struct({
      seq: Schema.Int,
      made: Schema.Array(Schema.String),
      /** The key of the bucket `sponsorship`. Nodes of an earlier release do not send it. */
      address: Schema.optionalKey(Schema.String)
    }),
    askedBy: []
  }),
  /** The newest sponsorship of this person for an agent (hub id), with any status. */
  "human.sponsorship": op({ input: OfAgent, output: Schema.Struct({ sponsorship: Schema.Int }), askedBy: ["edge"] }),
  "human.sponsorship_ended": op({
    input: Schema.Struct({ sponsorship: Schema.Int, status: SponsorshipStatus }),
    output: Nothing,
    askedBy: []
  })
})

/** The outcome of one of the agent's sponsorships. `at` is in Unix ms. */
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
 * The events for the agent's log, and its last sequence. `also` are deliveries to the agent's webhook; nodes of an
 * earlier release do not send them.
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
   * Answers whether one more sponsorship may be declared by a person with or without a verified address, or confirmed.
   * Refused `not_found` or `sponsorship_limit`. With `as`, the answer has events for the agent's log. The asker commits
   * them together with its own, and only if the agent's log is still at `seq`. So the limit holds at the moment of that
   * commit. Otherwise the answer is `null`, and a reaction informs the agent later. Nodes of an earlier release always
   * answer `null`.
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
        /** `at` is in Unix ms. */
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

/** The most people in one query. */
export const PEOPLE_ASKED_MAX = 200

export const sponsorshipQueries = {
  /** Sponsorships, newest first. */
  sponsorships: query({
    input: Schema.Struct({ agent: Schema.String, page: Schema.Int, per_page: Schema.Int }),
    output: paged(AgentSponsorship)
  }),
  /** All open sponsorships, and the latest of those that ended; newest first. */
  sponsored: query({ input: Schema.Struct({ human: Schema.String }), output: Schema.Array(HumanSponsorship) }),
  /** Agents that have confirmed the person, and whose profiles are visible. */
  sponsored_agents: query({ input: Schema.Struct({ human: Schema.String }), output: Schema.Array(Author) }),
  /** The public data of people, without those who have no account any more. Answered by processes with the keys. */
  people: query({ input: Schema.Struct({ ids: Schema.Array(Schema.String) }), output: Schema.Array(PersonRecord) })
}
