/** Kind `fleet`, whose only id is `own`: the list of hosts, and the host of each compartment. */
import { Schema } from "effect"
import { Box, NamedBox } from "../compartment/operations.ts"
import { Isolation } from "../compartment/records.ts"
import { Nothing, op, operationsOf, paged } from "../operation.ts"

export const FLEET_ID = "own"

/** A host's report about itself. It is sent often, and only changes are written to the log. */
export const HostReport = Schema.Struct({
  host: Schema.String,
  /** The name that its machine gives itself. */
  name: Schema.String,
  /** The most compartments. */
  max: Schema.Int,
  /** The reason why nothing can be started on this host; `null` if it can be used. */
  reason: Schema.NullOr(Schema.String),
  /**
   * True if the reason will end by itself within minutes, because the host has just started or is being prepared.
   * Absent in reports of earlier releases.
   */
  starting: Schema.optionalKey(Schema.Boolean),
  isolation: Schema.NullOr(Isolation),
  image: Schema.String,
  /** The public key for secrets in base64. All hosts have the same. */
  public_key: Schema.String,
  /** `null` if the firewall was not checked yet. */
  firewall: Schema.NullOr(Schema.Boolean),
  egress: Schema.NullOr(Schema.Boolean)
})
export type HostReport = typeof HostReport.Type

export const HostSeen = Schema.Struct({
  ...HostReport.fields,
  drained: Schema.Boolean,
  /** True if the host has been silent for too long. */
  away: Schema.Boolean,
  taken: Schema.Int
})
export type HostSeen = typeof HostSeen.Type

/** The version of the terms that the edge showed. Earlier releases do not send it: theirs is the oldest. */
const terms = Schema.optionalKey(Schema.String)

export const NewCompartment = Schema.Struct({
  id: Schema.String,
  agent: Schema.String,
  name: Schema.String,
  command: Schema.String,
  image: Schema.NullOr(Schema.String),
  secrets: Schema.Array(NamedBox),
  hub_key: Schema.NullOr(Box),
  /** The id of the person who made the compartment, if a person made it. */
  human: Schema.NullOr(Schema.String),
  terms
})
export type NewCompartment = typeof NewCompartment.Type

export const CompartmentOfHuman = Schema.Struct({
  id: Schema.String,
  human: Schema.String,
  name: Schema.String,
  command: Schema.String,
  /** A key pair made by a host: the public key in base64, and the seed sealed so that only hosts can open it. */
  public_key: Schema.String,
  hub_key: Box,
  terms
})
export type CompartmentOfHuman = typeof CompartmentOfHuman.Type

export const operations = operationsOf("fleet", {
  /** Compartments of the given agents, of a person, or all of them, newest first. */
  "fleet.places": op({
    input: Schema.Struct({
      agents: Schema.NullOr(Schema.Array(Schema.String)),
      human: Schema.NullOr(Schema.String),
      page: Schema.Int,
      per_page: Schema.Int
    }),
    output: paged(
      Schema.Struct({
        compartment: Schema.String,
        host: Schema.String,
        agent: Schema.String,
        owner: Schema.NullOr(Schema.String),
        name: Schema.String,
        /** True if a person made the compartment. */
        of_human: Schema.Boolean
      })
    ),
    askedBy: ["edge"]
  }),
  "fleet.hosts": op({ input: Nothing, output: Schema.Array(HostSeen), askedBy: ["edge"] }),
  /**
   * Gives the compartment a place on a host, and writes the compartment's first event in the same commit. Refused
   * `compartment_limit`, `runtime_full`, `runtime_unavailable`, `compartment_name_taken`, `validation_error` for an
   * image that is not offered and for too large secrets.
   */
  "fleet.create": op({ input: NewCompartment, output: Schema.Struct({ host: Schema.String }), askedBy: ["edge"] }),
  /**
   * Makes a compartment and an agent for it in one commit, and makes the person the agent's sponsor. A repetition for
   * the same compartment gets the same answer. Refused like `fleet.create` and `human.adopts`, and `rate_limited`.
   */
  "fleet.create_for_human": op({
    input: CompartmentOfHuman,
    output: Schema.Struct({ host: Schema.String, agent: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Refused `compartment_name_taken` if the agent has another compartment of that name. */
  "fleet.rename": op({
    input: Schema.Struct({ compartment: Schema.String, name: Schema.String }),
    output: Nothing,
    askedBy: []
  }),
  "fleet.release": op({ input: Schema.Struct({ compartment: Schema.String }), output: Nothing, askedBy: [] }),
  "fleet.report": op({ input: HostReport, output: Nothing, askedBy: ["runtime"] }),
  /** A host asks for the ids of its compartments. */
  "fleet.mine": op({
    input: Schema.Struct({ host: Schema.String }),
    output: Schema.Struct({ compartments: Schema.Array(Schema.String) }),
    askedBy: ["runtime"]
  }),
  /** If `drained` is true, no new compartments are placed on the host. Existing ones stay. */
  "fleet.drain": op({
    input: Schema.Struct({ host: Schema.String, drained: Schema.Boolean }),
    output: Nothing,
    askedBy: []
  }),
  /** An operator gives up a lost host. Its compartments move to other hosts and begin with an empty `/data`. */
  "fleet.forget": op({ input: Schema.Struct({ host: Schema.String }), output: Nothing, askedBy: [] }),
  /**
   * Reports the agent's owner. Without `owner`, which events of older releases do not name, the agent is asked.
   * Compartments that the agent made change their owner.
   */
  "fleet.own": op({
    input: Schema.Struct({ agent: Schema.String, owner: Schema.optionalKey(Schema.NullOr(Schema.String)) }),
    output: Nothing,
    askedBy: []
  }),
  /** Reports that an agent's status has changed, or that a person's account was deleted. */
  "fleet.fate": op({
    input: Schema.Union([
      Schema.Struct({
        agent: Schema.String,
        fate: Schema.Literals(["suspended", "reinstated", "banned", "deleted"]),
        reason: Schema.NullOr(Schema.String)
      }),
      Schema.Struct({ human: Schema.String, fate: Schema.Literal("deleted") })
    ]),
    output: Nothing,
    askedBy: []
  })
})
