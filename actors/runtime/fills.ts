/**
 * Runs the fill service of an agent's vault in each of its compartments (spec 4.12; contract 17).
 *
 * Invariants
 *  - The fill service runs as a user whose processes the program can neither read nor signal, within the compartment's
 *    limits.
 *  - The keeper issues a token for this run of the compartment, and the previous one stops working. The token is passed
 *    by standard input, and kept in a file that only this user can read. It is in no argument, log line or answer of
 *    the engine. It stops working when the run ends.
 *  - While a program runs, the host checks at most once a minute whether the fill service runs, and when a program
 *    starts. If the agent has no active vault, there is no fill service until a check finds one. A service that ended
 *    is started with a fresh token.
 */
import { randomUUID } from "node:crypto"
import { type Clock, Effect, Result } from "effect"
import type { Desired } from "../../schemas/compartment/operations.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { hubUrlInside } from "../../schemas/compartment/hub-url.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import type { ExecOrder, ExecResult } from "./host/types.ts"
import { messageOf } from "./host/fault.ts"

const USER = "1001:1001"
const AGENT_UID = 1000
const PORT = 7777
/** The address at which programs let their Chromium listen: `chromium --remote-debugging-port=9222`. */
const BROWSER = "http://127.0.0.1:9222"
const LOOK_MS = 60_000
const LOOKED_MAX = 256
/** Refusals if there is no keeper, or no vault. */
const NONE: ReadonlySet<string> = new Set(["not_found", "vault_not_active"])
/** Refusals after which the keeper may have made the token, and may answer the same request with it. */
const UNSURE: ReadonlySet<string> = new Set(["unavailable", "overloaded"])

const LISTENS = ["/bin/bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${PORT}`]

const START = `umask 077
folder=$(mktemp -d /tmp/.hub-fill.XXXXXXXX) || exit 1
cat >"$folder/token" || exit 1
exec hub-fill --token-file "$folder/token" --cdp ${BROWSER} --port ${PORT} --user ${AGENT_UID} "$@" </dev/null >/dev/null 2>&1`

export interface FillParts {
  readonly clock: Clock.Clock
  readonly exec: (compartment: string, order: ExecOrder) => Promise<ExecResult>
  readonly issue: (
    input: Queries["keeper_issue_inside"]["input"] & { readonly request: string; readonly run: number }
  ) => Effect.Effect<Queries["keeper_issue_inside"]["output"], Refusal>
  readonly baseUrl: string
}

export class Fills {
  readonly #parts: FillParts
  /** The run and the monotonic time (ms) of each compartment's last check. */
  readonly #looked = new Map<string, { readonly run: number; readonly at: number }>()
  /**
   * Requests for tokens without an answer, by compartment. They are repeated in the same run, because the token may have
   * been made: a new request would end it.
   */
  readonly #unsure = new Map<string, { readonly run: number; readonly request: string }>()

  constructor(parts: FillParts) {
    this.#parts = parts
  }

  /** Called while a program runs: starts the fill service if it does not run. */
  look(compartment: string, { run, agent }: Pick<Desired, "run" | "agent">): void {
    const last = this.#looked.get(compartment)
    if (last?.run === run && monotonicMs(this.#parts.clock) - last.at < LOOK_MS) return
    // Clearing also forgets compartments that are gone. Each of the others is only checked once more.
    if (this.#looked.size >= LOOKED_MAX) {
      this.#looked.clear()
      this.#unsure.clear()
    }
    this.#looked.set(compartment, { run, at: monotonicMs(this.#parts.clock) })
    this.#ensure(compartment, { run, agent }).catch((error: unknown) =>
      logNow("warn", "fill", { compartment, error: messageOf(error) })
    )
  }

  async #ensure(compartment: string, { run, agent }: Pick<Desired, "run" | "agent">): Promise<void> {
    const { exec, issue, baseUrl } = this.#parts
    const listening = await exec(compartment, { user: USER, argv: LISTENS, detach: false })
    if (listening.exitCode === 0) return
    const before = this.#unsure.get(compartment)
    const request = before?.run === run ? before.request : randomUUID()
    this.#unsure.set(compartment, { run, request })
    const issued = await Effect.runPromise(Effect.result(issue({ agent, compartment, request, run })))
    if (Result.isSuccess(issued) || !UNSURE.has(issued.failure.code)) this.#unsure.delete(compartment)
    if (Result.isFailure(issued)) {
      if (NONE.has(issued.failure.code)) return
      throw new Error(`${issued.failure.code}: ${issued.failure.message}`)
    }
    const url = hubUrlInside(baseUrl)
    const more = url.startsWith("http://") ? ["--allow-http"] : []
    const argv = ["/usr/bin/env", `HUB_URL=${url}`, "/bin/bash", "-c", START, "fill", ...more]
    await exec(compartment, { user: USER, argv, stdin: issued.success.token, detach: true })
  }
}
