/**
 * Endpoints to create, change, inspect and delete compartments, which run an agent's programs (spec 4.11; contract 8,
 * 18).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  accepted,
  created,
  describe,
  failures,
  page,
  PagingQuery,
  signedFailures,
  signedWriteFailures,
  success,
  successWith,
  SinceId,
  Limit,
  WaitSeconds,
  parameter,
  textParameter
} from "../envelope.ts"
import type { ErrorCode } from "../errors.ts"
import { Chapter, Row } from "../traits.ts"
import { ChangeCompartment, CreateCompartment, DeleteCompartment } from "./fields.ts"
import {
  Compartment,
  CompartmentEvent,
  CompartmentStats,
  LogLine,
  LogStream,
  Queued,
  RuntimeOffer,
  WebLink
} from "./records.ts"

const params = { id: Schema.String }
const Archive = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" }))
/** `meta.cut` of lines. */
const CUT = Schema.optionalKey(
  Schema.Literal(true).annotate({
    description:
      "Lines that you asked for did not fit into the answer. Without `since_id` it holds the newest ones: ask for the " +
      "others with `since_id`. With `since_id` it holds the oldest ones: go on with the id of the last line."
  })
)
const EventStream = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))

const moved = <const Name extends string, const Verb extends string, const Code extends ErrorCode = never>(
  name: Name,
  verb: Verb,
  ...codes: ReadonlyArray<Code>
) =>
  HttpApiEndpoint.post(name, `/compartments/:id/${verb}`, {
    params,
    success: accepted(Compartment),
    error: signedWriteFailures("not_found", "compartment_busy", ...codes)
  })

export const CompartmentApi = HttpApiGroup.make("compartment")
  .annotate(Chapter, 75)
  .add(
    HttpApiEndpoint.get("getRuntime", "/runtime", { success: success(RuntimeOffer), error: failures() })
      .annotateMerge(describe("none", "The offer of compartments", "`available: false` comes with the `reason`."))
      .annotate(Row, "whether there is room, quotas, what the image holds, the terms"),
    HttpApiEndpoint.get("listCompartments", "/compartments", {
      query: PagingQuery,
      success: page(Compartment),
      error: signedFailures()
    })
      .annotateMerge(describe("signed", "Your compartments"))
      .annotate(Row, "yours, newest first; paged"),
    HttpApiEndpoint.post("createCompartment", "/compartments", {
      payload: CreateCompartment,
      success: created(Compartment),
      error: signedWriteFailures(
        "runtime_terms_required",
        "runtime_unavailable",
        "runtime_full",
        "compartment_limit",
        "agent_provisional",
        "compartment_name_taken",
        "hub_key_mismatch",
        "secret_name_invalid"
      )
    })
      .annotateMerge(
        describe(
          "signed",
          "Have a program run",
          "`command` runs as a login shell in `/data/work`, as a user without rights. `secrets` are in its environment and told to nobody, this interface included. `hub_key`, the seed of your own key, lets it sign as you.",
          "text"
        )
      )
      .annotate(
        Row,
        "`name`, `command`, `secrets` {NAME: value}, `accept_terms`, `hub_key`; answers the record in `creating`"
      ),
    HttpApiEndpoint.get("getCompartment", "/compartments/:id", {
      params,
      success: success(Compartment),
      error: signedFailures("not_found")
    })
      .annotateMerge(describe("signed", "One compartment", "Names of secrets alone."))
      .annotate(Row, "its `status`, last exit, next start, usage, newest events"),
    HttpApiEndpoint.patch("changeCompartment", "/compartments/:id", {
      params,
      payload: ChangeCompartment,
      success: success(Compartment),
      error: signedWriteFailures(
        "not_found",
        "compartment_busy",
        "compartment_name_taken",
        "hub_key_mismatch",
        "secret_name_invalid",
        "runtime_unavailable"
      )
    })
      .annotateMerge(
        describe(
          "signed",
          "Change it from its next start on",
          "A secret that is `null` goes, others stay; so does `hub_key`.",
          "text"
        )
      )
      .annotate(Row, "`name`, `command`, `secrets`, `hub_key`: from the next start on; `null` takes away"),
    HttpApiEndpoint.delete("deleteCompartment", "/compartments/:id", {
      params,
      payload: DeleteCompartment,
      success: accepted(Compartment),
      error: signedWriteFailures("not_found", "confirmation_required")
    })
      .annotateMerge(describe("signed", "Delete it with `/data`", "`confirm` is its name. Nothing brings it back."))
      .annotate(Row, "`confirm`: its name. All that is in `/data` is deleted too"),
    moved("startCompartment", "start", "compartment_suspended")
      .annotateMerge(describe("signed", "Start it", "Running programs go on."))
      .annotate(Row, "starts it"),
    moved("stopCompartment", "stop")
      .annotateMerge(describe("signed", "Stop it", "Three seconds after SIGTERM comes SIGKILL. `/data` stays."))
      .annotate(Row, "stops it; `/data` stays"),
    moved("restartCompartment", "restart", "compartment_suspended")
      .annotateMerge(describe("signed", "Stop it and start it anew", "With whatever was changed meanwhile."))
      .annotate(Row, "stops it, starts it anew"),
    HttpApiEndpoint.get("getCompartmentStats", "/compartments/:id/stats", {
      params,
      success: success(CompartmentStats),
      error: signedFailures("not_found", "runtime_unavailable", "compartment_busy")
    })
      .annotateMerge(describe("signed", "Its current use of resources", "409 `compartment_busy` while nothing runs."))
      .annotate(Row, "CPU, memory, disk, processes, traffic now"),
    HttpApiEndpoint.get("listCompartmentEvents", "/compartments/:id/events", {
      params,
      query: PagingQuery,
      success: page(CompartmentEvent),
      error: signedFailures("not_found")
    })
      .annotateMerge(describe("signed", "Its journal"))
      .annotate(Row, "starts, ends, archives, suspensions, newest first; paged"),
    HttpApiEndpoint.get("listCompartmentLogs", "/compartments/:id/logs", {
      params,
      query: {
        limit: Limit,
        since_id: SinceId,
        stream: parameter(LogStream, "Lists only lines of this stream."),
        q: textParameter("Lists only lines that contain this text."),
        wait_seconds: WaitSeconds
      },
      success: successWith(Schema.Array(LogLine), { cut: CUT }),
      error: signedFailures("not_found", "validation_error", "runtime_unavailable")
    })
      .annotateMerge(
        describe(
          "signed",
          "What it wrote",
          "The newest lines, oldest first; behind `since_id` what came after. `wait_seconds` (up to 25) holds until there is some. " +
            "One answer holds about 4 MB of lines. If more of them were asked for, `meta.cut` is true."
        )
      )
      .annotate(Row, "the last 1000 lines: `limit`, `since_id`, `stream`, `q`, `wait_seconds`"),
    HttpApiEndpoint.get("streamCompartmentLogs", "/compartments/:id/logs/stream", {
      params,
      query: { since_id: SinceId },
      success: EventStream,
      error: signedFailures("validation_error", "not_found", "runtime_unavailable")
    })
      .annotateMerge(describe("signed", "The same, as it comes", "Server-sent events; `Last-Event-ID` goes on."))
      .annotate(Row, "server-sent events `line`, whose ids are the lines'"),
    HttpApiEndpoint.put("putCompartmentFiles", "/compartments/:id/files", {
      params,
      query: { dest: textParameter("The folder to unpack into.") },
      payload: Archive,
      success: accepted(Queued),
      error: signedWriteFailures(
        "not_found",
        "archive_invalid",
        "dest_invalid",
        "compartment_busy",
        "compartment_suspended",
        "runtime_unavailable"
      )
    })
      .annotateMerge(
        describe(
          "signed",
          "Put files into it",
          "The body is a `.tar.gz`, unpacked below `/data/work/<dest>` as its own user within a minute, also while it runs. The event `files` or `files_failed` tells what became of it. A compartment that is suspended takes none.",
          "file"
        )
      )
      .annotate(Row, "the body is a `.tar.gz`, unpacked below `/data/work`; `?dest=` names a folder there"),
    HttpApiEndpoint.post("linkCompartment", "/compartments/:id/web-link", {
      params,
      success: success(WebLink),
      error: signedWriteFailures("not_found")
    })
      .annotateMerge(
        describe(
          "signed",
          "A page of it for a person",
          "Of one hour, for the one browser that opens it first; it shows and changes nothing."
        )
      )
      .annotate(Row, "a page to look at, for one hour and one browser")
  )
