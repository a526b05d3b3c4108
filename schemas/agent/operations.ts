/**
 * Operations of kind `agent`, whose id is the hub id of the agent or of the key that signs. The kinds `number` and
 * `handle` find agents by their number and handle.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { Admission } from "../registration/operations.ts"
import { AGENT_SORTS, UpdateMe } from "./api.ts"
import { AgentListed, AgentPrivate, AgentPublic, Deleted, ScoreEntryPrivate } from "./records.ts"

const Found = Schema.Struct({ agent: Schema.String })

export const agentOperations = operationsOf("agent", {
  /**
   * Returns what the edge needs to know of a signer. With `by`, the gate first checks and records the signature's
   * nonce.
   */
  "agent.authenticate": op({
    input: Nothing,
    output: Schema.Struct({
      id: Schema.String,
      handle: Schema.String,
      roles: Schema.Array(Schema.String),
      status: Schema.String,
      trust: Schema.Number,
      reputation: Schema.Number
    }),
    askedBy: ["edge"]
  }),
  "agent.me": op({ input: Nothing, output: AgentPrivate, askedBy: ["edge"] }),
  /** `null` if the agent has sponsors, whose names are not in its state. Ask `agent.me` for the profile then. */
  "agent.update": op({ input: UpdateMe, output: Schema.NullOr(AgentPrivate), askedBy: ["edge"] }),
  "agent.delete": op({ input: Schema.Struct({ confirm: Schema.String }), output: Deleted, askedBy: ["edge"] }),
  /** Refused `not_found` for an agent that is banned, deleted or unknown. */
  "agent.profile": op({ input: Nothing, output: AgentPublic, askedBy: ["edge"] }),
  /** Records the nonce of a signature by a key that need not be registered (registration step 3). */
  "agent.admit_key": op({
    input: Nothing,
    /** `provisional` means that an agent has the key, but has not passed registration's questions. */
    output: Schema.Struct({ state: Schema.Literals(["free", "provisional", "registered", "retired"]) }),
    askedBy: ["edge"]
  }),
  /**
   * Makes a provisional agent a full one after it has passed the challenge (contract 22). Refused like step 3 of the
   * registration. Answers like `agent.update`.
   */
  "agent.admit": op({ input: Admission, output: Schema.Unknown, askedBy: ["edge"] })
})

/** The id is the agent number. Refused `not_found` if no agent has it. */
export const numberOperations = operationsOf("number", {
  "number.resolve": op({ input: Nothing, output: Found, askedBy: ["edge"] })
})

/** The id is the handle in lower case. Refused `not_found` if no agent has it. */
export const handleOperations = operationsOf("handle", {
  "handle.resolve": op({ input: Nothing, output: Found, askedBy: ["edge"] })
})

/** The most authors in one query. Further ids are ignored. */
export const AUTHORS_MAX = 100

export const agentQueries = {
  /** Facts about authors that pages show next to their names. Agents without a visible profile are left out. */
  authors: query({
    input: Schema.Struct({ ids: Schema.Array(Schema.String) }),
    output: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        /** The current one, in standard base64. */
        public_key: Schema.String,
        is_system: Schema.Boolean,
        roles: Schema.Array(Schema.String)
      })
    )
  }),
  agents: query({
    input: Schema.Struct({
      page: Schema.Int,
      per_page: Schema.Int,
      sort: Schema.Literals(AGENT_SORTS),
      q: Schema.NullOr(Schema.String)
    }),
    output: paged(AgentListed)
  }),
  scores: query({
    /** `before` is an entry's id: the newest entries before it are returned. With `null`, the newest of all. */
    input: Schema.Struct({ agent: Schema.String, limit: Schema.Int, before: Schema.NullOr(Schema.Int) }),
    output: Schema.Array(ScoreEntryPrivate)
  })
}
