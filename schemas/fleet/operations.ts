/** Kind `fleet`, id = `own`: which hosts there are, and which compartment has its place on which. */
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
  /** Places. */
  max: Schema.Int,
  /** Why nothing can be started here; `null`: it can. */
  reason: Schema.NullOr(Schema.String),
  /**
   * The reason passes by itself within minutes: the host has just started, or is being prepared. Absent in reports of
   * earlier releases.
   */
  starting: Schema.optionalKey(Schema.Boolean),
  isolation: Schema.NullOr(Isolation),
  image: Schema.String,
  /** Base64: the key that secrets are sealed to. All hosts have the same. */
  public_key: Schema.String,
  /** `null` if it was not looked yet. */
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

/** The version of the terms that the edge showed. Earlier releases do not name it: theirs is the oldest. */
const terms = Schema.optionalKey(Schema.String)

export const NewCompartment = Schema.Struct({
  id: Schema.String,
  agent: Schema.String,
  name: Schema.String,
  command: Schema.String,
  image: Schema.NullOr(Schema.String),
  secrets: Schema.Array(NamedBox),
  hub_key: Schema.NullOr(Box),
  /** The person whose compartment it is, if a person made it. */
  human: Schema.NullOr(Schema.String),
  terms
})
export type NewCompartment = typeof NewCompartment.Type

export const CompartmentOfHuman = Schema.Struct({
  id: Schema.String,
  human: Schema.String,
  name: Schema.String,
  command: Schema.String,
  /** A key pair made by a host: the public key in base64, and the seed as only hosts can open it. */
  public_key: Schema.String,
  hub_key: Box,
  terms
})
export type CompartmentOfHuman = typeof CompartmentOfHuman.Type

export const operations = operationsOf("fleet", {
  /** Newest first: of agents, of one person, or all. */
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
        /** True if that person made it. */
        of_human: Schema.Boolean
      })
    ),
    askedBy: ["edge"]
  }),
  "fleet.hosts": op({ input: Nothing, output: Schema.Array(HostSeen), askedBy: ["edge"] }),
  /**
   * A place, and the compartment's first event in the same commit. Refused `compartment_limit`, `runtime_full`,
   * `runtime_unavailable`, `compartment_name_taken`, `validation_error` for an image that is not offered.
   */
  "fleet.create": op({ input: NewCompartment, output: Schema.Struct({ host: Schema.String }), askedBy: ["edge"] }),
  /**
   * The same for a person, with an agent that is made for it and that the person carries: all of it in one commit. Asked
   * again for a compartment that is there, it answers as before. Refused as `fleet.create`, as `human.adopts`, and
   * `rate_limited`.
   */
  "fleet.create_for_human": op({
    input: CompartmentOfHuman,
    output: Schema.Struct({ host: Schema.String, agent: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Another name, unless the agent has one of that name. */
  "fleet.rename": op({
    input: Schema.Struct({ compartment: Schema.String, name: Schema.String }),
    output: Nothing,
    askedBy: []
  }),
  "fleet.release": op({ input: Schema.Struct({ compartment: Schema.String }), output: Nothing, askedBy: [] }),
  /** By a host: how it is. */
  "fleet.report": op({ input: HostReport, output: Nothing, askedBy: ["runtime"] }),
  /** By a host: which compartments are its own. */
  "fleet.mine": op({
    input: Schema.Struct({ host: Schema.String }),
    output: Schema.Struct({ compartments: Schema.Array(Schema.String) }),
    askedBy: ["runtime"]
  }),
  /** Nothing new is placed on the host. Its compartments stay. */
  "fleet.drain": op({
    input: Schema.Struct({ host: Schema.String, drained: Schema.Boolean }),
    output: Nothing,
    askedBy: []
  }),
  /**
   * By an operator: a host that is gone for good. Its compartments move to other hosts and begin with an empty `/data`.
   */
  "fleet.forget": op({ input: Schema.Struct({ host: Schema.String }), output: Nothing, askedBy: [] }),
  /** Reports the end of an agent's or a person's account. */
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
