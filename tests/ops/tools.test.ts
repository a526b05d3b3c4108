/** What engineers use beside the history itself: the end of it, its events, a test made of it, operations, deliveries. */
import { execFile } from "node:child_process"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deliveryCommand } from "../../ops/cli/delivery.ts"
import { openService } from "../../ops/cli/connection.ts"
import { operationsCommand } from "../../ops/cli/operations.ts"
import { readLine } from "../../ops/cli/command-line.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { OPERATIONS } from "../../schemas/bus/operations.ts"
import { dataOf } from "../support/outcome.ts"
import { said } from "./history.ts"
import { command, entries, openPast, past, replay, service } from "./past.ts"
import { archiveOf, waitFor } from "../harness/index.ts"

const execute = promisify(execFile)

beforeAll(openPast)
afterAll(() => service?.stop())

describe("a history", () => {
  test("is shown from its end, and without states", async () => {
    const all = await entries()
    const last = await replay("agent", past.handle, { last: "2" })
    expect(last.match(/^#\d+/gm)).toEqual(all.slice(-2).map(({ seq }) => `#${seq}`))
    expect(last.match(/^ {4}state /gm)).toHaveLength(2)
    const events = await replay("agent", past.handle, { "events-only": true })
    expect(events.match(/^#\d+/gm)).toHaveLength(all.length)
    expect(events).not.toContain("    state ")
    const json = JSON.parse(
      await replay("agent", past.handle, { "events-only": true, last: "1", json: true })
    ) as unknown
    expect(json).toMatchObject([{ seq: all.at(-1)?.seq }])
    expect(json).not.toMatchObject([{ state: expect.anything() }])
  })

  test.each([
    [{ last: "0" }, "--last takes a whole number from 1 on"],
    [{ last: "x" }, "--last takes a whole number from 1 on"],
    [{ last: "1", at: "1" }, "--last and --events-only go with the history alone"],
    [{ test: "x.test.ts", at: "1" }, "--test goes with --what-if and --to alone"]
  ])("refuses %j", async (values, message) => {
    await expect(replay("agent", past.handle, values)).rejects.toThrow(message)
  })
})

describe("a test made of a history", () => {
  // Inside the project, where its imports lead; behind a dot no run of the suite looks for tests.
  const folder = join(projectRoot, ".hub", `made-by-replay-${process.pid}`)

  beforeAll(async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, "vitest.config.mjs"), 'export default { test: { include: ["*.test.ts"] } }\n')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const vitest = () =>
    execute(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--root", folder], {
      cwd: projectRoot,
      env: { ...process.env, VITEST: undefined, VITEST_WORKER_ID: undefined, VITEST_POOL_ID: undefined },
      timeout: 120_000,
      killSignal: "SIGKILL"
    }).then(
      () => true,
      (error: unknown) => {
        const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
        return stdout + stderr
      }
    )

  test("passes as it is, holds no secret, and fails once another decision is expected", async () => {
    const file = join(folder, "suspend.test.ts")
    const put = await command("put", { op: "agent.suspend", input: { reason: "a test" } })
    const [registered] = await entries()
    const to = `#${registered?.seq}`
    expect(await replay("agent", past.handle, { test: file, "what-if": put, to })).toBe(
      `${file}: move it and ${join(folder, "suspend.history.json")} into tests/ to run them`
    )
    const text = (await readFile(file, "utf8")) + (await readFile(join(folder, "suspend.history.json"), "utf8"))
    for (const secret of past.secrets) expect(text).not.toContain(secret)
    expect(text).toContain('"agent.suspended"')
    expect(await vitest()).toBe(true)
    const code = await readFile(file, "utf8")
    await writeFile(file, code.replace('"trust_withheld": 10', '"trust_withheld": 11'))
    expect(await vitest()).toContain("trust_withheld")
    await expect(replay("agent", past.handle, { test: file })).rejects.toThrow("exists already")
  })

  test("without a command expects the state", async () => {
    await rm(join(folder, "suspend.test.ts"), { force: true })
    const file = join(folder, "state.test.ts")
    await replay("agent", past.handle, { test: file })
    expect(await vitest()).toBe(true)
  })
})

describe("operations", () => {
  const listed = (kind: string, json = false) => operationsCommand.alone({ positionals: [kind], values: { json } })

  test("of a kind are listed with the shape of their input", async () => {
    const text = String(await listed("agent"))
    expect(text).toMatch(/^agent\.suspend {2}\{reason: string, .*until\?: /m)
    const names = Object.entries(OPERATIONS).flatMap(([name, { kind }]) => (kind === "agent" ? [name] : []))
    expect(text.split("\n").map((line) => line.split("  ")[0])).toEqual(names.toSorted())
    expect(text).not.toContain("…")
    expect(await listed("agent", true)).toContainEqual(expect.objectContaining({ op: "agent.suspend" }))
  })

  test("of no kind are refused with the kinds", async () => {
    await expect(listed("nonsense")).rejects.toThrow(/operations takes a kind: .*agent/)
  })
})

test("deliveries of an agent are listed, newest first, without a payload", async () => {
  const list = (...words: ReadonlyArray<string>) => said(deliveryCommand, service, [past.handle, ...words])
  expect(await list()).toBe(`nothing was sent to the webhook of ${past.handle}`)
  dataOf(await past.client.call("POST", "/api/v1/me/webhook/test", { body: {} }))
  await waitFor(async () => (await list()).includes("  1 attempt"), { describe: "a delivery that was tried" })
  expect(await list()).toMatch(/^\d+ {2}\S+Z {2}webhook\.\w+ {2}\w+ {2}\d+ attempts?/)
  await expect(said(deliveryCommand, service, [past.handle], { count: "0" })).rejects.toThrow("--count takes")
})

test("a command of an operator stands in the log under a name", async () => {
  const env = {
    HUB_NATS_URL: service.system.nats.url,
    HUB_DATABASE_URL: service.system.postgres.url,
    HUB_ARCHIVE: archiveOf(service.system)
  }
  const maria = await openService({ ...env, HUB_OPERATOR: "maria" })
  await maria.command("category.define", "named", {
    name: "Named",
    description: "By somebody.",
    position: 90
  })
  await maria.close()
  expect(await replay("category", "named")).toMatch(
    / category\.define {2}\(command operator-maria-[0-9a-f]{24} by operator maria\)/
  )
  const nobody = await openService({ ...env, HUB_OPERATOR: "maria.b" })
  await expect(nobody.command("category.look", "named", null)).rejects.toThrow("HUB_OPERATOR takes up to 32")
  await nobody.close()
})

test("the help of a command names its kinds and references", () => {
  const help = JSON.stringify(readLine(["replay", "--help"]))
  for (const part of ["a kind is one of ", "agent, ", "HX-000001", "a point is a sequence"])
    expect(help).toContain(part)
  expect(JSON.stringify(readLine(["status", "--help"]))).not.toContain("a kind")
})
