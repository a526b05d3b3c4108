/** Operations of the kind `challenge`, whose ids are 32 hex characters (spec 3.3, 4.3). */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { Challenge, Questions, Register } from "./api.ts"

/** The client's address as a keyed hash. The address itself is not stored. */
const Origin = Schema.String
type Origin = typeof Origin.Type

/** The id of the `limit` actor that counts the client's /48. `null` for an IPv4 client. Older edges do not send it. */
const WideHome = Schema.optionalKey(Schema.NullOr(Schema.String))

/** The answers of a provisional agent to a challenge. */
export const Admission = Schema.Struct({
  challenge_id: Schema.String,
  answers: Schema.Record(Schema.String, Schema.Unknown),
  captcha_bypass: Schema.optionalKey(Schema.String),
  origin: Origin,
  wide_home: WideHome
})
export type Admission = typeof Admission.Type

export const registrationOperations = operationsOf("challenge", {
  "challenge.create": op({
    input: Schema.Struct({ public_key: Schema.String, hub_id: Schema.String, origin: Origin, wide_home: WideHome }),
    output: Challenge,
    askedBy: ["edge"]
  }),
  "challenge.serve": op({ input: Schema.Struct({ pow_nonce: Schema.Unknown }), output: Questions, askedBy: ["edge"] }),
  /** The output is the registered agent's private profile with `webhook_secret` and `welcome`. */
  "challenge.register": op({
    input: Schema.Struct({
      form: Register,
      hub_id: Schema.String,
      origin: Origin,
      wide_home: WideHome
    }),
    output: Schema.Unknown,
    askedBy: ["edge"]
  }),
  /** Grades the answers of an existing provisional agent, as step 3 of registration does for a new one. */
  "challenge.pass": op({
    input: Schema.Struct({ hub_id: Schema.String, ...Admission.fields }),
    output: Nothing,
    askedBy: []
  }),
  /** Does nothing. Timers of earlier releases still send it, because their logs did not delete old challenges. */
  "challenge.erase": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})
