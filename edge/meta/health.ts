/**
 * `GET /health` (contract 7). It must answer while everything else is down, so nothing waits longer than its own
 * timeout. If a signature cannot be checked in that time, the answer leaves out the details for operators.
 *
 * A client that has used its share of queries is refused, because the answer would otherwise report its own limit as
 * a state of the service. The state of vaults is cached for all clients, so its queries count for none.
 */
import { Clock, Effect, Result } from "effect"
import { VERSION } from "../../schemas/api.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Health } from "../../schemas/meta/api.ts"
import { signer } from "../bus/own.ts"
import type { Bus } from "../bus/bus.ts"
import { isCrowded } from "../bus/query-places.ts"
import type { Link } from "../bus/connection.ts"
import type { Call } from "../http/call.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataValue, type Response } from "../http/respond.ts"
import { unexplained, worstClock } from "../../schemas/meta/clock.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { cachedFor } from "../../schemas/runtime/cached-for.ts"

const AWAY = Result.fail(refuse({ code: "unavailable", message: "The bus is away." }))

const DOWN_RETRY_SECONDS = 5

type Checks = NonNullable<Health["checks"]>
type ActorHealth = Queries["health"]["output"]

const check = (status: "pass" | "warn" | "fail", time: string, message: string | null): Checks[string] => ({
  status,
  observed: null,
  unit: null,
  time,
  message
})

export const healthOf = (call: Call, bus: Bus, link: Link, timeoutMs: number): Effect.Effect<Response, Refused> =>
  Effect.gen(function* () {
    const detailed = yield* isOperator(call, bus, timeoutMs)
    const askedAt = yield* Clock.currentTimeMillis
    const [asked, lists, vaults, runtime] = link.up
      ? yield* Effect.all(
          [
            admitted(bus.query(call, "health", null, timeoutMs)),
            admitted(bus.query(call, "alive", null, timeoutMs)),
            vaultHealth(call, bus, timeoutMs),
            runtimeHealth(call, bus, timeoutMs)
          ],
          { concurrency: 4 }
        )
      : [AWAY, AWAY, NO_VAULTS, NO_RUNTIME]
    const answeredAt = yield* Clock.currentTimeMillis
    const time = new Date(answeredAt).toISOString()
    const actors: ActorHealth | null = Result.isSuccess(asked) ? asked.success : null
    const clock = actors?.now === undefined ? null : clockOf(actors.clocks ?? [], actors.now, askedAt, answeredAt, time)
    const isRuntimeOk = worstOf([runtime.runtime_firewall, runtime.runtime_egress_ok])
    const status =
      !link.up || actors === null || Result.isFailure(lists)
        ? "down"
        : actors.status === "ok" && (clock?.status === "warn" || vaults.vault_key_ok === false || isRuntimeOk === false)
          ? "degraded"
          : actors.status
    const checks: Checks = {
      ...actors?.checks,
      ...(clock === null ? {} : { clock }),
      nats: link.up ? check("pass", time, null) : check("fail", time, "The edge has no connection to the bus."),
      actors: actors === null ? check("fail", time, "No actor node answered.") : check("pass", time, null),
      ...(vaults.vault_key_ok === null ? {} : { keeper: keeperCheck(vaults.vault_key_ok, time) }),
      ...(isRuntimeOk === null ? {} : { runtime: runtimeCheck(isRuntimeOk, time) }),
      queries: Result.isFailure(lists)
        ? check("fail", time, "Nobody answers for the read models.")
        : check("pass", time, null)
    }
    const shown: Health = { status, version: VERSION, time }
    if (status === "down") call.headers["retry-after"] = String(DOWN_RETRY_SECONDS)
    return dataValue(
      detailed ? { ...shown, ...runtime, ...vaults, uptime_seconds: Math.floor(process.uptime()), checks } : shown,
      status === "down" ? 503 : 200
    )
  })

const admitted = <A>(asked: Effect.Effect<A, Refused>): Effect.Effect<Result.Result<A, Refused>, Refused> =>
  Effect.flatMap(Effect.result(asked), (found) =>
    Result.isFailure(found) && isCrowded(found.failure) ? Effect.fail(found.failure) : Effect.succeed(found)
  )

type VaultHealth = Required<Pick<Health, "vault_key_ok" | "vaults_active">>

const NO_VAULTS: VaultHealth = { vault_key_ok: null, vaults_active: null }

const VAULTS_KNOWN_MS = 5000
const known = new WeakMap<Bus, () => Promise<VaultHealth>>()

const vaultHealth = ({ clock }: Call, bus: Bus, timeoutMs: number): Effect.Effect<VaultHealth> =>
  Effect.promise(() => {
    const before = known.get(bus)
    if (before !== undefined) return before()
    const last = cachedFor(clock, () => Effect.runPromise(vaultHealthNow(clock, bus, timeoutMs)), VAULTS_KNOWN_MS)
    known.set(bus, last)
    return last()
  })

/** A missing keeper is a fault only if there are vaults. */
const vaultHealthNow = (clock: Clock.Clock, bus: Bus, timeoutMs: number): Effect.Effect<VaultHealth> =>
  Effect.gen(function* () {
    const within = { deadline: wallMs(clock) + timeoutMs, call: null }
    const [keeper, counted] = yield* Effect.all(
      [
        Effect.result(bus.query(within, "keeper_health", null, timeoutMs)),
        Effect.result(bus.query(within, "vaults_active", null, timeoutMs))
      ],
      { concurrency: 2 }
    )
    const vaults_active = Result.isSuccess(counted) ? counted.success.active : null
    if (Result.isSuccess(keeper)) return { vault_key_ok: keeper.success.key_ok, vaults_active }
    return { vault_key_ok: (vaults_active ?? 0) > 0 ? false : null, vaults_active }
  })

const keeperCheck = (isOk: boolean, time: string): Checks[string] =>
  isOk
    ? check("pass", time, null)
    : check("fail", time, "The keeper does not answer, or its HUB_VAULT_KEY does not open what it keeps.")

type RuntimeHealth = Required<Pick<Health, "runtime_firewall" | "runtime_egress_ok">>

const NO_RUNTIME: RuntimeHealth = { runtime_firewall: null, runtime_egress_ok: null }

/**
 * The state of all hosts that answer. A host whose rules are not in place counts as a fault. A host that was not
 * checked yet does not.
 */
const runtimeHealth = (call: Call, bus: Bus, timeoutMs: number): Effect.Effect<RuntimeHealth> =>
  bus
    .read(call, {
      actor: FLEET_ID,
      op: "fleet.hosts",
      input: null,
      anew: true,
      deadline: wallMs(call.clock) + timeoutMs
    })
    .pipe(
      Effect.map((hosts) => hosts.filter(({ away }) => !away)),
      Effect.map((hosts) => ({
        runtime_firewall: worstOf(hosts.map(({ firewall }) => firewall)),
        runtime_egress_ok: worstOf(hosts.map(({ egress }) => egress))
      })),
      Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed(NO_RUNTIME) }),
      Effect.catch(() => Effect.succeed(NO_RUNTIME))
    )

const worstOf = (all: ReadonlyArray<boolean | null>): boolean | null => {
  const known = all.filter((one) => one !== null)
  return known.length === 0 ? null : known.every((one) => one)
}

const runtimeCheck = (isOk: boolean, time: string): Checks[string] =>
  isOk
    ? check("pass", time, null)
    : check("fail", time, "The isolation rules of a host do not stand, or its way out does not: nothing starts there.")

/**
 * The difference between the edge's clock and the node's. The node read its clock while the edge waited for the answer.
 */
const clockOf = (
  clocks: NonNullable<ActorHealth["clocks"]>,
  now: number,
  askedAt: number,
  answeredAt: number,
  time: string
): Checks[string] => {
  const edge = { name: "the edge", ms: unexplained((askedAt + answeredAt) / 2 - now, (answeredAt - askedAt) / 2) }
  return worstClock([...clocks, edge], time)
}

/**
 * True for a signature by an operator. Fails if the signature is refused. An actor that is unavailable counts as no
 * operator.
 */
const isOperator = (call: Call, bus: Bus, timeoutMs: number): Effect.Effect<boolean, Refused> => {
  const { ticket } = call
  if (ticket === null) return Effect.succeed(false)
  return signer(bus, call).pipe(
    Effect.map(({ roles }) => roles.includes("operator")),
    Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed(false) }),
    Effect.catch((failed) =>
      failed.refusal.code === "unavailable" || failed.refusal.code === "overloaded"
        ? Effect.succeed(false)
        : Effect.fail(failed)
    )
  )
}
