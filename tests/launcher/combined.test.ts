/** `npm start` without flags: edge, actors and keeper are nodes of one process. */
import { afterEach, expect, test } from "vitest"
import { parseSettings } from "../../ops/launcher/start.ts"
import { isRunning, signalProcess } from "../../ops/launcher/proc.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { BYPASS_TOKEN, register } from "../support/register.ts"
import { endLaunchers, launch, type Launcher, untilGone } from "./launcher.ts"

const POW_LIMITS = { "registration.pow_difficulty.base": 1, "registration.pow_difficulty.max": 2 }
const env = { HUB_CAPTCHA_BYPASS: BYPASS_TOKEN, HUB_LIMITS: JSON.stringify(POW_LIMITS) }

afterEach(endLaunchers)

const nodesOf = (launcher: Launcher): ReadonlyArray<number | null> => {
  const { edges, actors, keeper } = launcher.run()
  return [...edges, ...actors, ...(keeper === undefined ? [] : [keeper])].map(({ pid }) => pid)
}

test("serves, comes back with everything when it is killed, and ends with status 0", async () => {
  const launcher = await (await launch({ product: true, env })).ready()
  const url = `http://127.0.0.1:${launcher.port}`
  const [pid, ...others] = nodesOf(launcher)
  expect(others).toEqual([pid, pid])
  const client = new AgentClient({ edge: () => url })
  await register(client, { edge: url })
  expect(outcome(await client.call("GET", "/api/v1/me/vault"))).toMatch(/^(200|404) /)

  signalProcess(pid ?? 0, "SIGKILL")
  await waitFor(() => nodesOf(launcher).every((one) => one !== null && one !== pid), { describe: "another process" })
  const again = await waitFor(async () => {
    const answer = await client.call("GET", "/api/v1/me").catch(() => null)
    return answer?.status === 200 ? answer : null
  })
  expect(outcome(again)).toBe("200")
  expect(launcher.stderr).toMatch(/hub \(pid \d+\) died, signal SIGKILL/)

  const pids = launcher.pids()
  expect(await launcher.end("SIGTERM")).toMatchObject({ code: 0, signal: null })
  expect(pids.filter(isRunning)).toEqual([])
})

test("ends with its launcher", async () => {
  const launcher = await (await launch({ product: true, env })).ready()
  const pids = launcher.pids()
  launcher.process.kill("SIGKILL")
  await untilGone(pids)
})

test.each([
  ["without flags", [], {}, true],
  ["with a number of edges", ["--edges", "1"], {}, false],
  ["with a number of actors", ["--actors", "1"], {}, false],
  ["in production", [], { HUB_ENV: "production", HUB_BASE_URL: "https://hub.example" }, false]
] as const)("%s: %j share a process: %j", (_when, args, more, combined) => {
  expect(parseSettings(args, { HUB_DATA: "/nowhere", ...more })).toMatchObject({ combined })
})

test("a port of its edge that is taken is said in one line", async () => {
  const first = await (await launch({ product: true, env })).ready()
  const second = await launch({ product: true, env, port: first.port })
  expect(await second.ended).toMatchObject({ code: 1 })
  expect(second.stderr.trim().split("\n").at(-1)).toBe(
    `hub: port ${first.port} is taken; stop the program that uses it or set HUB_PORT to another port`
  )
  expect((await send({ edge: `http://127.0.0.1:${first.port}`, method: "GET", path: "/api/v1/health" })).status).toBe(
    200
  )
})
