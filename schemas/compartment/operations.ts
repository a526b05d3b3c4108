/**
 * Kind `compartment`, whose id is `cmp_…`: its desired state, and the reports of its host. The fleet creates it and
 * assigns its host (schemas/fleet/).
 */
import { Schema } from "effect"
import { SealedBox } from "../secret/sealed.ts"
import { BlobRef } from "../blob/operations.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import {
  Compartment,
  CompartmentEvent,
  CompartmentStats,
  CompartmentStatus,
  LogLine,
  LogStream,
  UsageReading,
  WebLink
} from "./records.ts"

/** A box that is sealed to the runtime's public key, so that only hosts can open it. */
export const Box = SealedBox
export const NamedBox = Schema.Struct({ name: Schema.String, box: Box, bytes: Schema.Int })
export type NamedBox = typeof NamedBox.Type

/**
 * The caller of an operation. Callers without a right to the compartment get `not_found`. Operators may read every
 * compartment.
 */
export const Asker = Schema.Union([
  Schema.Struct({ type: Schema.Literal("agent"), agent: Schema.String, operator: Schema.Boolean }),
  Schema.Struct({ type: Schema.Literal("human"), human: Schema.String }),
  Schema.Struct({ type: Schema.Literal("operator") })
])
export type Asker = typeof Asker.Type

const By = Schema.Struct({ by: Asker })

const { owner: _owner, isolation: _isolation, usage: _usage, ...known } = Compartment.fields

/**
 * The part of a compartment's record that its own actor knows. Its host adds the rest, and the edge adds people's
 * names.
 */
export const KnownCompartment = Schema.Struct({ ...known, owner: Schema.NullOr(Schema.String) })
export type KnownCompartment = typeof KnownCompartment.Type

const Looked = Schema.Struct({ compartment: KnownCompartment, host: Schema.String })

/**
 * The state that the host should establish. `run` is the number of a start. No other start of the compartment has it.
 */
export const Desired = Schema.Struct({
  goal: Schema.Literals(["running", "stopped", "deleted"]),
  status: CompartmentStatus,
  run: Schema.Int,
  agent: Schema.String,
  /** The agent's number, if the goal is `running`. Absent from an earlier release's actor. */
  hx_id: Schema.optionalKey(Schema.String),
  name: Schema.String,
  command: Schema.String,
  image: Schema.String,
  secrets: Schema.Array(NamedBox),
  hub_key: Schema.NullOr(Box),
  uploads: Schema.Array(Schema.Struct({ id: Schema.Int, dest: Schema.String, blob: BlobRef, key: Box }))
})
export type Desired = typeof Desired.Type

/** A host's report about a run. */
export const Reported = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("running"),
    run: Schema.Int,
    at: Schema.Number,
    /**
     * The image that the run was made of. The host chooses it, and it may be newer than the image of the run before.
     */
    image: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({
    type: Schema.Literal("exited"),
    run: Schema.Int,
    exit_code: Schema.NullOr(Schema.Int),
    oom_killed: Schema.Boolean,
    /**
     * `lost`: the host or its container disappeared, so the program did not cause it. `disk`: it was stopped because it
     * used too much disk.
     */
    why: Schema.Literals(["program", "stopped", "lost", "disk"]),
    at: Schema.Number
  }),
  /** The compartment could not be started. `lasting` is true if a start is useless until its definition is changed. */
  Schema.Struct({
    type: Schema.Literal("failed"),
    run: Schema.Int,
    error: Schema.String,
    at: Schema.Number,
    lasting: Schema.optionalKey(Schema.Boolean)
  }),
  /** The host has begun this run, which is later than the wanted one, because the log was restored from a backup. */
  Schema.Struct({ type: Schema.Literal("ahead"), run: Schema.Int, at: Schema.Number }),
  Schema.Struct({ type: Schema.Literal("removed") }),
  Schema.Struct({
    type: Schema.Literal("upload"),
    upload: Schema.Int,
    error: Schema.NullOr(Schema.String)
  })
])
export type Reported = typeof Reported.Type

export const compartmentOperations = operationsOf("compartment", {
  "compartment.look": op({
    input: By,
    output: Looked,
    askedBy: ["edge"]
  }),
  /** Refused `compartment_suspended`, `compartment_busy`. Does nothing if the compartment should run already. */
  "compartment.start": op({ input: By, output: Nothing, askedBy: ["edge"] }),
  "compartment.stop": op({ input: By, output: Nothing, askedBy: ["edge"] }),
  "compartment.restart": op({ input: By, output: Nothing, askedBy: ["edge"] }),
  /** A new name is first claimed at the fleet, which refuses `compartment_name_taken`. */
  "compartment.change": op({
    input: Schema.Struct({
      by: Asker,
      name: Schema.NullOr(Schema.String),
      command: Schema.NullOr(Schema.String),
      set: Schema.Array(NamedBox),
      removed: Schema.Array(Schema.String),
      /** If absent, the stored key does not change. */
      hub_key: Schema.optionalKey(Schema.NullOr(Box))
    }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** Refused `confirmation_required`. */
  "compartment.delete": op({
    input: Schema.Struct({ by: Asker, confirm: Schema.NullOr(Schema.String) }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /**
   * Queues an archive that the edge has checked and stored in sealed form. Refused `compartment_busy` if too many
   * archives wait, or the compartment is being deleted.
   */
  "compartment.queue_files": op({
    input: Schema.Struct({ by: Asker, dest: Schema.String, blob: BlobRef, key: Box, files: Schema.Int }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  "compartment.link": op({ input: By, output: WebLink, askedBy: ["edge"] }),
  /** Refused `not_found` if the link can no longer be opened. */
  "compartment.link_waits": op({
    input: Schema.Struct({ token: Schema.String }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** Opens a link for one browser. Refused `not_found` if another browser has used it, or it has ended. */
  "compartment.open_link": op({
    input: Schema.Struct({ token: Schema.String, browser: Schema.String }),
    output: Looked,
    askedBy: ["edge"]
  }),
  "compartment.events": op({
    input: Schema.Struct({ by: Asker, page: Schema.Int, per_page: Schema.Int }),
    output: paged(CompartmentEvent),
    askedBy: ["edge"]
  }),
  /**
   * Answers whether the compartment belongs to this agent and should run, and the number of its newest run. Older
   * releases do not send the number. `stopping`: its program may still be running, although it should not. The keeper
   * and the vault ask this about tokens of fill services.
   */
  "compartment.runs_for": op({
    input: Schema.Struct({ agent: Schema.String }),
    output: Schema.Struct({
      runs: Schema.Boolean,
      run: Schema.optionalKey(Schema.Int),
      stopping: Schema.optionalKey(Schema.Literal(true))
    }),
    askedBy: ["keeper"]
  }),
  /** The desired state, for the compartment's host. Refused `not_found` for any other host. */
  "compartment.desired": op({ input: Schema.Struct({ host: Schema.String }), output: Desired, askedBy: ["runtime"] }),
  "compartment.report": op({
    input: Schema.Struct({ host: Schema.String, told: Reported }),
    output: Nothing,
    askedBy: ["runtime"]
  }),
  "compartment.suspend": op({
    input: Schema.Struct({ by: Schema.String, reason: Schema.String }),
    output: Nothing,
    askedBy: []
  }),
  /**
   * An operator lifts all suspensions but the one that the agent's suspension has caused. Others lift only a suspension
   * that `by`, or that report, has caused.
   */
  "compartment.lift": op({
    input: Schema.Struct({ by: Schema.String, report: Schema.optionalKey(Schema.Int) }),
    output: Nothing,
    askedBy: []
  }),
  /** Deletes the compartment, because an account was deleted or a report was resolved with `removed`. */
  "compartment.end": op({ input: Nothing, output: Nothing, askedBy: [] }),
  /** An agent has reported the compartment. A report by an operator or an established agent may suspend it. */
  "compartment.reported": op({
    input: Schema.Struct({ reporter: Schema.String, reason: Schema.String, report: Schema.optionalKey(Schema.Int) }),
    output: Nothing,
    askedBy: []
  }),
  /**
   * Moves the compartment because its host is lost, together with `/data`. It starts with an empty `/data` on another
   * host.
   */
  "compartment.move": op({ input: Schema.Struct({ host: Schema.String }), output: Nothing, askedBy: [] }),
  "compartment.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})

export const operations = compartmentOperations

const OnHost = { host: Schema.String, compartment: Schema.String }

export const queries = {
  /**
   * Answered by the host: lines after `since_id`, or the newest ones. If there are no lines, the host waits for them
   * for the requested time, up to a limit. `cut` is true if some of these lines did not fit into the answer: the oldest
   * ones, or with `since_id` the newest ones.
   */
  host_logs: query({
    input: Schema.Struct({
      ...OnHost,
      since_id: Schema.NullOr(Schema.Int),
      limit: Schema.Int,
      stream: Schema.NullOr(LogStream),
      q: Schema.NullOr(Schema.String),
      wait_ms: Schema.Int
    }),
    output: Schema.Struct({ lines: Schema.Array(LogLine), cut: Schema.optionalKey(Schema.Literal(true)) })
  }),
  /**
   * Answered by the host. `stats` is `null` while nothing runs. `history` has a reading for each minute of the last
   * hour.
   */
  host_stats: query({
    input: Schema.Struct(OnHost),
    output: Schema.Struct({
      stats: Schema.NullOr(CompartmentStats),
      disk_mb: Schema.Int,
      history: Schema.Array(UsageReading)
    })
  }),
  /** Answered by any host: a new key pair for an agent. Its seed is sealed so that only hosts can open it. */
  host_new_key: query({
    input: Schema.Struct({ host: Schema.String, compartment: Schema.String }),
    output: Schema.Struct({ public_key: Schema.String, box: Box })
  })
}
