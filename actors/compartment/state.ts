/**
 * The state of a compartment and its events (spec 3.7; contract 8, 18).
 *
 * Invariants
 *  - `run` numbers the starts. A host may start a run once, only if it is the newest, and only while it is wanted. So
 *    nothing runs twice, even if a process dies between a decision and the start.
 *  - A report about a run that is not the newest, or by another host, changes nothing.
 *  - A restored log lacks the starts since the backup. So the next start after a restore skips numbers
 *    (since-restore.ts), and a host that has begun a later run than the newest one reports it.
 *  - `desired` is the state that was ordered last: by its agent, by a person, or by a stop because `/data` is over its
 *    quota. `status` is the present state. A suspended compartment does not start, whatever is desired.
 *  - Values of secrets are in the state and in the log only as sealed boxes, which only hosts can open. Their names are
 *    plain text.
 */
import { Schema } from "effect"
import { BlobRef } from "../../schemas/blob/operations.ts"
import { Box, NamedBox } from "../../schemas/compartment/operations.ts"
import { CompartmentStatus } from "../../schemas/compartment/records.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

const UploadValue = Schema.Struct({ id: Schema.Int, dest: Schema.String, blob: BlobRef, key: Box, files: Schema.Int })
type UploadValue = typeof UploadValue.Type

const LinkValue = Schema.Struct({
  /** The sha256 of the link's token. */
  hash: Schema.String,
  /** Unix ms. */
  until: Schema.Number,
  /**
   * The agent's key that made the link, in standard base64. The link stops working when the agent has another key.
   * Absent if a person made the link.
   */
  key: Schema.optionalKey(Schema.String),
  /** The sha256 of the secret of the browser that opened the link; `null` before that. */
  browser: Schema.NullOr(Schema.String)
})
type LinkValue = typeof LinkValue.Type

const NoteValue = Schema.Struct({ id: Schema.Int, at: Schema.Number, type: Schema.String, message: Schema.String })
export type NoteValue = typeof NoteValue.Type

const SuspendedValue = Schema.Struct({
  by: Schema.String,
  report: Schema.optionalKey(Schema.Int),
  reason: Schema.String,
  at: Schema.Number
})

export const CompartmentValue = Schema.Struct({
  agent: Schema.String,
  /** The person who made the compartment; `null` if its agent did. */
  human: Schema.NullOr(Schema.String),
  /**
   * The person whose share of compartments counted this one when it was made; `null` for the agent's own share. The
   * present owner may be another (record.ts).
   */
  owner: Schema.NullOr(Schema.String),
  name: Schema.String,
  command: Schema.String,
  image: Schema.String,
  host: Schema.String,
  secrets: Schema.Array(NamedBox),
  hub_key: Schema.NullOr(Box),
  status: CompartmentStatus,
  desired: Schema.Literals(["running", "stopped"]),
  run: Schema.Int,
  /** When the run was ordered, in Unix ms. */
  ordered_at: Schema.Number,
  /** The number of the next start. */
  next_run: Schema.Int,
  /** The state that follows a stop under way. */
  next: Schema.Literals(["stopped", "starting", "suspended"]),
  /** The suspensions, oldest first: one for each cause and report. After one is lifted, another may still apply. */
  suspensions: Schema.Array(SuspendedValue),
  /**
   * True if an operator has lifted a suspension or rejected its report. Reports by agents then do not suspend the
   * compartment until it is changed.
   */
  cleared: Schema.Boolean,
  restart_count: Schema.Int,
  /** Unix ms. */
  restart_at: Schema.NullOr(Schema.Number),
  exit_code: Schema.NullOr(Schema.Int),
  oom_killed: Schema.Boolean,
  last_error: Schema.NullOr(Schema.String),
  created_at: Schema.Number,
  started_at: Schema.NullOr(Schema.Number),
  stopped_at: Schema.NullOr(Schema.Number),
  uploads: Schema.Array(UploadValue),
  last_upload: Schema.Int,
  links: Schema.Array(LinkValue),
  notes: Schema.Array(NoteValue),
  last_note: Schema.Int
})
export type CompartmentValue = typeof CompartmentValue.Type

const Deleted = Schema.Struct({ status: Schema.Literal("deleted"), agent: Schema.String })

/** `null`: the compartment never existed. */
export const CompartmentState = Schema.NullOr(Schema.Union([CompartmentValue, Deleted]))
export type CompartmentState = typeof CompartmentState.Type

export const CompartmentEvent = Schema.Union([
  /** Written in one commit with the fleet's event that assigns the place. */
  event("compartment.created", 1, {
    agent: Schema.String,
    human: Schema.NullOr(Schema.String),
    owner: Schema.NullOr(Schema.String),
    name: Schema.String,
    command: Schema.String,
    image: Schema.String,
    host: Schema.String,
    secrets: Schema.Array(NamedBox),
    hub_key: Schema.NullOr(Box),
    terms: Schema.String
  }),
  /** `set`: only the changed secrets, because all secrets together can be hundreds of kilobytes. */
  event("compartment.changed", 1, {
    name: Schema.String,
    command: Schema.String,
    set: Schema.Array(NamedBox),
    removed: Schema.Array(Schema.String),
    hub_key: Schema.NullOr(Box)
  }),
  /**
   * The host may start this run. `restart_count`: automatic restarts in a row. A start that somebody ordered sets 0.
   */
  event("compartment.starting", 1, { run: Schema.Int, restart_count: Schema.Int }),
  event("compartment.running", 1, { run: Schema.Int, at: Schema.Number, image: Schema.optionalKey(Schema.String) }),
  event("compartment.stopping", 1, {
    next: Schema.Literals(["stopped", "starting", "suspended"]),
    desired: Schema.Literals(["running", "stopped"]),
    /** Absent in events of older releases. Reactions need it. */
    agent: Schema.optionalKey(Schema.String)
  }),
  event("compartment.exited", 1, {
    run: Schema.Int,
    exit_code: Schema.NullOr(Schema.Int),
    oom_killed: Schema.Boolean,
    why: Schema.Literals(["program", "stopped", "lost", "disk", "failed", "restored"]),
    error: Schema.NullOr(Schema.String),
    at: Schema.Number,
    agent: Schema.String,
    name: Schema.String
  }),
  /** `restart_count`: the count including the restart that it waits for. */
  event("compartment.backing_off", 1, {
    restart_at: Schema.Number,
    restart_count: Schema.Int,
    exit_code: Schema.NullOr(Schema.Int),
    oom_killed: Schema.Boolean,
    agent: Schema.String,
    name: Schema.String
  }),
  /**
   * Written in one commit with the exit that is the reason. The program starts again only if somebody starts it, or if
   * the compartment moves to another host.
   */
  event("compartment.failed", 1, { agent: Schema.String, name: Schema.String }),
  event("compartment.stopped", 1, { desired: Schema.Literals(["running", "stopped"]) }),
  event("compartment.suspended", 1, {
    by: Schema.String,
    /** The report that caused the suspension; absent for other causes and in events of older releases. */
    report: Schema.optionalKey(Schema.Int),
    reason: Schema.String,
    agent: Schema.String,
    name: Schema.String
  }),
  event("compartment.lifted", 1, { by: Schema.String, report: Schema.optionalKey(Schema.Int) }),
  /**
   * `run` is absent in events of older releases, and is then the number after the last one. So is `agent`, which
   * reactions need.
   */
  event("compartment.moved", 1, {
    from: Schema.String,
    host: Schema.String,
    run: Schema.optionalKey(Schema.Int),
    agent: Schema.optionalKey(Schema.String)
  }),
  event("compartment.files_queued", 1, {
    upload: Schema.Int,
    dest: Schema.String,
    blob: BlobRef,
    key: Box,
    files: Schema.Int
  }),
  event("compartment.files_applied", 1, { upload: Schema.Int, error: Schema.NullOr(Schema.String) }),
  event("compartment.link_made", 1, {
    hash: Schema.String,
    until: Schema.Number,
    key: Schema.optionalKey(Schema.String)
  }),
  event("compartment.link_opened", 1, { hash: Schema.String, browser: Schema.String }),
  /** `agent` is absent in events of older releases. */
  event("compartment.deleting", 1, { agent: Schema.optionalKey(Schema.String) }),
  event("compartment.deleted", 1)
])
export type CompartmentEvent = typeof CompartmentEvent.Type

export interface CompartmentMemory {
  /** The agent's number (`HX-…`); `null` until the agent was asked for it. */
  hx_id: string | null
}

export type CompartmentActor = ActorOf<CompartmentState, CompartmentEvent, CompartmentMemory>

export const isSuspended = ({ suspensions }: CompartmentValue): boolean => suspensions.length > 0

export const isThere = (state: CompartmentState): state is CompartmentValue =>
  state !== null && state.status !== "deleted"
