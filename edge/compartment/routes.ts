/** Compartments of the calling agent (spec 4.11; contract 8, 18). */
import { Effect } from "effect"
import { CompartmentApi } from "../../schemas/compartment/api.ts"
import { ChangeCompartment, CreateCompartment, DeleteCompartment, destOf } from "../../schemas/compartment/fields.ts"
import type { Asker } from "../../schemas/compartment/operations.ts"
import { type Compartment, RUNTIME_TERMS_VERSION, type RuntimeOffer } from "../../schemas/compartment/records.ts"
import { refusal, untilOperator } from "../../schemas/errors.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { newKey, sealBytes } from "../../schemas/secret/bytes.ts"
import { boxTo } from "./boxes.ts"
import { compartmentId, Compartments } from "./compartments.ts"
import { Judging } from "./judging.ts"
import { Logs } from "./logs.ts"
import { newCompartmentId } from "./new-id.ts"
import { offerOf } from "./offer.ts"
import { hubKeyProblem, prototypeProblem, secretsProblem } from "./secrets.ts"
import { admitted, changeIn, textsChecked, WRITE_MIN_BYTES } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped, pageMeta, pageOf, sinceIdOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataValue } from "../http/respond.ts"
import { lastEventId } from "../notification/index.ts"
import { signer } from "../bus/own.ts"
import { type Forms, stateOf } from "../markdown/form.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeCreate = bodyDecoder(CreateCompartment)
const decodeChange = bodyDecoder(ChangeCompartment)
const decodeDelete = bodyDecoder(DeleteCompartment)

const NO_FIELDS = Buffer.from("{}")
const [CREATED, ACCEPTED] = [201, 202]
const LINES_DEFAULT = 200
const Q_MAX_CHARS = 200

const termsRequired = refuse(
  refusal("runtime_terms_required", "Compartments need `accept_terms: true`: GET /docs/runtime-terms.", {
    field: "accept_terms",
    version: RUNTIME_TERMS_VERSION
  })
)
const destInvalid = refuse(
  refusal(
    "dest_invalid",
    "dest must be a folder below /data/work: one line, at most 32 levels, no `..`, nothing absolute.",
    { field: "dest" }
  )
)
const unavailable = (reason: string): Refused =>
  refuse(refusal("runtime_unavailable", "Compartments cannot be made at the moment.", { reason }))
const noHost = refuse(untilOperator(unavailable("no host runs compartments here").refusal))
const notRunning = refuse(refusal("compartment_busy", "It does not run: there is nothing to measure."))

export const compartmentRoutes = ({ bus, blobs, config: { hub } }: EdgeParts) => {
  const { limits, baseUrl } = hub
  const compartments = new Compartments(bus, limits)
  const logs = new Logs(bus, compartments, limits)
  const judging = new Judging(limits)

  /** Operators read all compartments, agents their own. */
  const reader = (call: Call): Effect.Effect<Asker, Refused> =>
    Effect.map(signer(bus, call), ({ id: agent, roles }) => ({
      type: "agent",
      agent,
      operator: roles.includes("operator")
    }))
  const writer = (
    call: Call,
    taking?: { log?: number; upload?: number }
  ): Effect.Effect<Asker & { type: "agent" }, Refused> =>
    Effect.map(admitted(bus, call, taking), ({ agent }) => ({ type: "agent", agent, operator: false }))
  const answered = (call: Call, id: string, by: Asker, status: number) =>
    Effect.map(compartments.record(call, id, by), (record: Compartment) => dataValue(record, status))

  /**
   * The public key of the hosts, to which secrets are sealed. Prefers a host that is up. Fails only if there is no host
   * at all.
   */
  const publicKey = (call: Call): Effect.Effect<string, Refused> =>
    Effect.flatMap(compartments.hosts(call), (hosts) => {
      const host = hosts.find(({ away }) => !away) ?? hosts[0]
      return host === undefined ? Effect.fail(noHost) : Effect.succeed(host.public_key)
    })

  const boxed = (call: Call, id: string, given: Readonly<Record<string, string | null>>, hubKey: string | null) =>
    Effect.gen(function* () {
      const problem = prototypeProblem(call.body) ?? secretsProblem(given, limits.runtime)
      if (problem !== null) return yield* refuse(problem)
      const keyProblem = hubKey === null ? null : hubKeyProblem(hubKey, call.ticket?.publicKey ?? "")
      if (keyProblem !== null) return yield* refuse(keyProblem)
      const key = yield* publicKey(call)
      const seal = yield* Effect.promise(() => boxTo(key, id))
      const set = Object.entries(given).flatMap(([name, value]) =>
        value === null
          ? []
          : [{ name, box: seal(name, value), bytes: Buffer.byteLength(name) + Buffer.byteLength(value) }]
      )
      return { set, hub_key: hubKey === null ? null : seal("HUB_KEY", hubKey.trim()) }
    })

  const moving = (op: "compartment.start" | "compartment.stop" | "compartment.restart") => (call: Call, id: string) =>
    Effect.gen(function* () {
      const actor = yield* compartmentId(id)
      const by = yield* writer(call)
      yield* bus.ask(call, { actor, op, input: { by } })
      return yield* answered(call, actor, by, ACCEPTED)
    })
  const [start, stop, restart] = [
    moving("compartment.start"),
    moving("compartment.stop"),
    moving("compartment.restart")
  ] as const

  return routesOf(CompartmentApi, {
    getRuntime: (call) =>
      Effect.map(compartments.hosts(call), (hosts) => dataValue(offerOf(hosts, { baseUrl, limits }))),
    listCompartments: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, limits)
        const found = yield* bus.read(call, {
          actor: FLEET_ID,
          op: "fleet.places",
          input: { agents: [agent], human: null, ...page }
        })
        const by: Asker = { type: "agent", agent, operator: false }
        const looked = yield* Effect.forEach(
          found.items,
          ({ compartment }) =>
            Effect.match(compartments.look(call, compartment, by), { onSuccess: (one) => [one], onFailure: () => [] }),
          { concurrency: 8 }
        )
        return dataValue(yield* compartments.records(call, looked.flat()), 200, pageMeta(page, found.total))
      }),
    createCompartment: (call) =>
      Effect.gen(function* () {
        const wanted = yield* decodeCreate(call)
        const { name, command, image = null, secrets = {}, accept_terms = false, hub_key = null } = wanted
        if (!accept_terms) return yield* termsRequired
        yield* textsChecked(call, { name, command })
        const id = newCompartmentId(call)
        const by = yield* writer(call, { log: 2 * WRITE_MIN_BYTES + 2 * call.body.length })
        const { set, ...sealed } = yield* boxed(call, id, secrets, hub_key)
        const input = {
          id,
          agent: by.agent,
          name,
          command,
          image,
          secrets: set,
          ...sealed,
          human: null,
          terms: RUNTIME_TERMS_VERSION
        }
        yield* bus.ask(call, { actor: FLEET_ID, op: "fleet.create", input })
        return yield* answered(call, id, by, CREATED)
      }),
    getCompartment: (call, { params }) =>
      Effect.gen(function* () {
        return yield* answered(call, params.id, yield* reader(call), 200)
      }),
    changeCompartment: (call, { params }) =>
      Effect.gen(function* () {
        yield* changeIn(call, ["name", "command", "secrets", "hub_key"], ["image"])
        const { name = null, command = null, secrets = {}, ...rest } = yield* decodeChange(call)
        yield* textsChecked(call, { name, command })
        const actor = yield* compartmentId(params.id)
        const by = yield* writer(call, { log: WRITE_MIN_BYTES + 2 * call.body.length })
        const { set, hub_key } = yield* boxed(call, actor, secrets, rest.hub_key ?? null)
        const removed = Object.entries(secrets).flatMap(([key, value]) => (value === null ? [key] : []))
        const key = rest.hub_key === undefined ? {} : { hub_key }
        yield* bus.ask(call, {
          actor,
          op: "compartment.change",
          input: { by, name, command, set, removed, ...key }
        })
        return yield* answered(call, actor, by, 200)
      }),
    deleteCompartment: (call, { params }) =>
      Effect.gen(function* () {
        const { confirm = null } = yield* decodeDelete(call, call.body.length === 0 ? NO_FIELDS : call.body)
        const actor = yield* compartmentId(params.id)
        const by = yield* writer(call)
        const record = yield* compartments.record(call, actor, by)
        yield* bus.ask(call, { actor, op: "compartment.delete", input: { by, confirm } })
        // The compartment may be deleted before it is read again.
        return dataValue({ ...record, status: "deleting", desired: "stopped" }, ACCEPTED)
      }),
    startCompartment: (call, { params }) => start(call, params.id),
    stopCompartment: (call, { params }) => stop(call, params.id),
    restartCompartment: (call, { params }) => restart(call, params.id),
    getCompartmentStats: (call, { params }) =>
      Effect.gen(function* () {
        const { host } = yield* compartments.look(call, params.id, yield* reader(call))
        const input = { host, compartment: params.id }
        const asked = bus.query(call, "host_stats", input, limits.service.runtime.host_answer_ms)
        const { stats } = yield* Effect.mapError(asked, () => unavailable("its host does not answer"))
        return stats === null ? yield* notRunning : dataValue(stats)
      }),
    listCompartmentEvents: (call, { params, query }) =>
      Effect.gen(function* () {
        const by = yield* reader(call)
        const page = pageOf(query, limits)
        const actor = yield* compartmentId(params.id)
        const found = yield* bus.read(call, { actor, op: "compartment.events", input: { by, ...page } })
        return dataValue(found.items, 200, pageMeta(page, found.total))
      }),
    listCompartmentLogs: (call, { params, query }) =>
      Effect.gen(function* () {
        const by = yield* reader(call)
        const { log_lines } = limits.runtime
        const wanted = {
          sinceId: query.since_id === undefined ? null : sinceIdOf(query.since_id),
          limit: clamped(query.limit, 1, log_lines, Math.min(LINES_DEFAULT, log_lines)),
          stream: query.stream ?? null,
          q: query.q === undefined || query.q === "" ? null : query.q.slice(0, Q_MAX_CHARS)
        }
        const { wait_max_seconds } = limits.notifications
        const wait = call.method === "HEAD" ? 0 : clamped(query.wait_seconds, 0, wait_max_seconds, 0)
        const { lines, cut } = yield* logs.list(call, params.id, by, wanted, wait * 1000)
        return cut === true ? dataValue(lines, 200, { cut }) : dataValue(lines)
      }),
    streamCompartmentLogs: (call, { params, query }) =>
      Effect.gen(function* () {
        const last = lastEventId(call.header("last-event-id"))
        if (typeof last === "object" && last !== null) return yield* refuse(last.refused)
        const by = yield* reader(call)
        const since = query.since_id === undefined ? null : sinceIdOf(query.since_id)
        return yield* logs.stream(call, params.id, by, last ?? since)
      }),
    putCompartmentFiles: (call, { params, query }) =>
      Effect.gen(function* () {
        const dest = destOf(query.dest ?? "")
        if (dest === null) return yield* destInvalid
        const actor = yield* compartmentId(params.id)
        const by = yield* writer(call, { log: 2 * WRITE_MIN_BYTES, upload: call.body.length })
        // The actor checks the caller again. Asking it first avoids storing bytes that nobody may use.
        yield* compartments.look(call, actor, by)
        const { files, bytes } = yield* judging.judged(call, call.body)
        const [key, hostsKey] = [newKey(), yield* publicKey(call)]
        const blob = yield* blobs.keep(call, sealBytes(call.body, key))
        const seal = yield* Effect.promise(() => boxTo(hostsKey, actor))
        const input = { by, dest, blob, key: seal(`archive ${blob.sha256}`, key), files }
        yield* bus.ask(call, { actor, op: "compartment.queue_files", input })
        return dataValue({ queued: true, files, bytes }, ACCEPTED)
      }),
    linkCompartment: (call, { params }) =>
      Effect.gen(function* () {
        const actor = yield* compartmentId(params.id)
        const by = yield* writer(call)
        return dataValue(yield* bus.read(call, { actor, op: "compartment.link", input: { by } }))
      })
  })
}

export const compartmentForms = {
  "compartment.getRuntime": stateOf<RuntimeOffer>("runtime", "Hosted runtime")
} satisfies Forms
