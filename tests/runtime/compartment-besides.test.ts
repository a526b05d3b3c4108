/** What is refused of compartments, files that come into them, what they wrote and use: over HTTP, with real programs. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Compartment, LogLine } from "../../schemas/compartment/records.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import {
  ask,
  COMPARTMENTS,
  create,
  handsOf,
  type Hosted,
  lineWith,
  linesOf,
  look,
  type Member,
  member,
  offer,
  SHARED_MAX,
  SHARED_QUOTAS,
  sharedHosted,
  until
} from "./hosted.ts"

let service: Hosted
beforeAll(async () => {
  service = await sharedHosted()
})
afterAll(() => service?.stop())

const { made, moved, removed, told } = handsOf(() => service)

describe("what is refused", () => {
  let one: Member
  beforeAll(async () => {
    one = await member(service)
  })
  const refusals: ReadonlyArray<readonly [string, object, string, unknown]> = [
    ["no terms", { accept_terms: false }, "422 runtime_terms_required", "accept_terms"],
    ["a name of capitals", { name: "One" }, "422 validation_error", "name"],
    ["no command", { command: "" }, "422 validation_error", "command"],
    ["a command of 4,001 characters", { command: "x".repeat(4001) }, "422 validation_error", "command"],
    ["a key of somebody else", { hub_key: Buffer.alloc(32, 9).toString("base64") }, "422 hub_key_mismatch", undefined],
    ["what is no key", { hub_key: "abc" }, "422 validation_error", "hub_key"],
    ["an unknown image", { image: "debian:latest" }, "422 validation_error", "image"],
    ["a secret of 32 KB and more", { secrets: { A: "x".repeat(32_769) } }, "422 validation_error", "secrets.A"],
    [
      "51 secrets",
      { secrets: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`S${at}`, "x"])) },
      "422 validation_error",
      "secrets"
    ],
    ...[
      "HUB_KEY",
      "HUB_X",
      "PATH",
      "LD_PRELOAD",
      "NODE_OPTIONS",
      "PYTHONPATH",
      "BASH_ENV",
      "ENV",
      "IFS",
      "UID",
      "lower",
      "constructor",
      "__proto__",
      ""
    ].map(
      (name) =>
        [
          `the secret ${name}`,
          { secrets: Object.fromEntries([[name, "x"]]) },
          "422 secret_name_invalid",
          "secrets"
        ] as const
    )
  ]
  it.each(refusals)("%s", async (_what, body, code, field) => {
    const answer = await create(one, "true", body)
    expect([outcome(answer), fieldOf(answer)]).toEqual([code, field])
  })

  it("a second one of the same owner, and what belongs to others", async () => {
    const [mine, record] = await made("sleep 600")
    expect(outcome(await create(mine, "true", { name: "two" }))).toBe("409 compartment_limit")
    expect(outcome(await create(mine, "true"))).toBe("409 compartment_name_taken")
    const { id } = record
    for (const [method, path, body] of [
      ["GET", ""],
      ["GET", "/logs"],
      ["GET", "/logs/stream"],
      ["GET", "/stats"],
      ["GET", "/events"],
      ["PATCH", "", { command: "true" }],
      ["DELETE", "", { confirm: "one" }],
      ["POST", "/start"],
      ["POST", "/stop"],
      ["POST", "/restart"],
      ["POST", "/web-link"]
    ] as const) {
      const answer = await one.client.call(method, `${COMPARTMENTS}/${id}${path}`, body === undefined ? {} : { body })
      expect([method, path, outcome(answer)]).toEqual([method, path, "404 not_found"])
    }
    expect(outcome(await mine.client.call("DELETE", `${COMPARTMENTS}/${id}`, { body: {} }))).toBe(
      "422 confirmation_required"
    )
    await removed(mine, record)
  })

  it("a request that is sent again under its key makes one compartment", async () => {
    const body = { name: "one", command: "sleep 600", accept_terms: true, secrets: { A: "x" } }
    const [first, second] = [
      await one.client.call("POST", COMPARTMENTS, { body, idempotencyKey: "k-1" }),
      await one.client.call("POST", COMPARTMENTS, { body, idempotencyKey: "k-1" })
    ]
    expect(dataOf<Compartment>(second).id).toBe(dataOf<Compartment>(first).id)
    expect(dataOf<ReadonlyArray<Compartment>>(await one.client.call("GET", COMPARTMENTS))).toHaveLength(1)
    await until(one, dataOf<Compartment>(first).id, "running")
    await removed(one, dataOf<Compartment>(first))
  })
})

const run = promisify(execFile)

/** An archive of these files, as tar makes it. */
const archiveOf = async (files: Readonly<Record<string, string>>): Promise<Buffer> => {
  const folder = await mkdtemp(join(tmpdir(), "archive-"))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const { stdout } = await run("tar", ["-czf", "-", "-C", folder, "."], { encoding: "buffer" })
  await rm(folder, { recursive: true })
  return stdout
}

describe("files", () => {
  const put = (one: Member, id: string, body: Uint8Array, dest = "") =>
    ask(one, "PUT", `${COMPARTMENTS}/${id}/files?dest=${encodeURIComponent(dest)}`, { body })

  it("come into a running compartment, and into a stopped one with its start", async () => {
    const [one, { id, ...record }] = await made("while :; do cat app/*.txt 2>/dev/null; sleep 0.2; done")
    await until(one, id, "running")
    const answer = await put(one, id, await archiveOf({ "a.txt": "hello from a\n" }), "app")
    expect([outcome(answer), answer.json.data]).toMatchObject(["202", { queued: true, files: 1 }])
    await lineWith(one, id, "hello from a")
    await waitFor(async () => (await look(one, id)).events.some(({ type }) => type === "files"))
    expect(await moved(one, id, "stop")).toBe("202")
    await until(one, id, "stopped")
    expect(outcome(await put(one, id, await archiveOf({ "b.txt": "hello from b\n" }), "app"))).toBe("202")
    expect(await moved(one, id, "start")).toBe("202")
    await lineWith(one, id, "hello from b")
    await removed(one, { id, ...record })
  })

  it.each(["/etc", "../up", "a/../../b", "a\\b", "a\0", ".hub-upload-1", "d/".repeat(33)])(
    "are not put into %s",
    async (dest) => {
      const one = await member(service)
      const answer = await put(one, "cmp_00000000000000000000", Buffer.from("x"), dest)
      expect([outcome(answer), fieldOf(answer)]).toEqual(["422 dest_invalid", "dest"])
    }
  )

  it("are judged before they are taken", async () => {
    const [one, record] = await made("sleep 600")
    const answer = await put(one, record.id, Buffer.from("this is no archive"))
    expect([outcome(answer), detailsOf(answer)["rule"]]).toEqual(["422 archive_invalid", "format"])
    await removed(one, record)
  })
})

/** The first events of the stream. */
const streamed = async ({ client }: Member, id: string, count: number): Promise<ReadonlyArray<LogLine>> => {
  const { edge, path, headers } = client.signed("GET", `${COMPARTMENTS}/${id}/logs/stream`)
  const answer = await fetch(`${edge}${path}`, { headers: { ...headers } })
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
  let text = ""
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString("utf8")
    const events = text.split("\n\n").filter((event) => event.includes("event: line"))
    if (events.length >= count)
      return events.map((event) => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "null") as LogLine)
  }
  throw new Error(`the stream ended with ${text}`)
}

describe("logs", () => {
  it("are the last thousand lines, with ascending ids, cut at 8 KB", async () => {
    const command =
      "head -c 20000 /dev/zero | tr '\\0' x; echo; for i in $(seq 1500); do echo line $i; done; echo oops >&2; sleep 600"
    const [one, { id, ...record }] = await made(command)
    await lineWith(one, id, "oops")
    const all = await linesOf(one, id)
    expect(all).toHaveLength(1000)
    expect(all.map(({ id: at }) => at)).toEqual(all.map((_, index) => (all[0]?.id ?? 0) + index))
    expect(all.at(-2)?.line).toBe("line 1500")
    expect(await linesOf(one, id, "stream=stderr")).toMatchObject([{ line: "oops" }])
    expect((await linesOf(one, id, "q=LINE%201499")).map(({ line }) => line)).toEqual(["line 1499"])
    const since = all.at(-4)?.id ?? 0
    expect((await linesOf(one, id, `since_id=${since}`)).map(({ id: at }) => at)).toEqual([
      since + 1,
      since + 2,
      since + 3
    ])
    expect(await linesOf(one, id, "limit=2")).toHaveLength(2)
    await removed(one, { id, ...record })
  })

  it("are held until there is something, and streamed as they come", async () => {
    const [one, { id, ...record }] = await made(
      "for word in first second; do until [ -e $word ]; do sleep 0.1; done; echo $word; done; sleep 600"
    )
    await until(one, id, "running")
    const path = `${COMPARTMENTS}/${id}/files?dest=`
    const say = async (word: string) =>
      expect(outcome(await ask(one, "PUT", path, { body: await archiveOf({ [word]: "now" }) }))).toBe("202")
    const held = waitFor(async () => {
      const lines = await linesOf(one, id, "since_id=0&wait_seconds=20")
      return lines.length > 0 ? lines : null
    })
    await say("first")
    expect((await held).map(({ line }) => line)).toEqual(["first"])
    const seen = streamed(one, id, 2)
    await say("second")
    expect((await seen).map(({ line }) => line)).toEqual(["first", "second"])
    await removed(one, { id, ...record })
  })
})

it("answers HEAD as GET, and its events in pages", async () => {
  const [one, { id, ...record }] = await made("sleep 600")
  await until(one, id, "running")
  for (const path of ["", "/stats", "/events", "/logs"]) {
    const [full, head] = [
      await one.client.call("GET", `${COMPARTMENTS}/${id}${path}`),
      await one.client.call("HEAD", `${COMPARTMENTS}/${id}${path}`)
    ]
    expect([path, full.status, head.status, head.text]).toEqual([path, 200, 200, ""])
  }
  const events = await one.client.call("GET", `${COMPARTMENTS}/${id}/events?per_page=1&page=2`)
  expect(dataOf<ReadonlyArray<unknown>>(events)).toMatchObject([{ id: 1, type: "created" }])
  expect(events.json.meta).toEqual({ page: 2, per_page: 1, total: 2, pages: 2 })
  await removed(one, { id, ...record })
})

it("tells what it uses, and nothing while nothing runs", async () => {
  const [one, { id, ...record }] = await made("sleep 600")
  await until(one, id, "running")
  const stats = () => ask(one, "GET", `${COMPARTMENTS}/${id}/stats`)
  expect(dataOf(await stats())).toMatchObject({
    pids: expect.any(Number),
    memory_mb: expect.any(Number),
    disk_mb: expect.any(Number)
  })
  expect(await moved(one, id, "stop")).toBe("202")
  await until(one, id, "stopped")
  expect(outcome(await stats())).toBe("409 compartment_busy")
  await removed(one, { id, ...record })
})

it("is suspended with its agent, and lifted with it", async () => {
  const [one, { id, ...record }] = await made("sleep 600")
  await until(one, id, "running")
  await service.view.command("agent.suspend", one.me.id, { reason: "spam" })
  const suspended = await waitFor(async () => {
    const found = await look(one, id)
    return found.status === "suspended" ? found : null
  })
  expect(suspended.suspended).toMatchObject({ by: "agent", reason: "spam" })
  expect((await told(one, "runtime.suspended")).payload).toMatchObject({ compartment_id: id, by: "agent" })
  await service.view.command("agent.reinstate", one.me.id, { reason: "all is well" })
  await until(one, id, "stopped")
  expect(await moved(one, id, "start")).toBe("202")
  await until(one, id, "running")
  await removed(one, { id, ...record })
})

it("offers what there is", async () => {
  expect(await offer(service)).toMatchObject({
    available: true,
    reason: null,
    compartments: { max: SHARED_MAX, per_owner: 1 },
    quotas: { ...SHARED_QUOTAS, cpus: 0.5, pids: 256, egress_kbit: 20_480 }
  })
})

it("has the fill service of its agent's vault beside it, which the program can neither read nor end", async () => {
  const command = `while ! curl -sf -H 'X-Hub-Vault: 1' http://127.0.0.1:7777/status; do sleep 0.5; done; echo
echo "token: $(cat /tmp/.hub-fill.*/token 2>&1 | tail -1)"
for pid in $(pgrep -u 1001); do kill -9 $pid 2>/dev/null && echo killed; cat /proc/$pid/environ 2>/dev/null && echo read; done
echo tried; sleep 600`
  const one = await member(service)
  expect(outcome(await one.client.call("POST", "/api/v1/vault"))).toBe("201")
  await waitFor(
    async () => dataOf<{ status: string }>(await one.client.call("GET", "/api/v1/vault")).status === "active"
  )
  const record = dataOf<Compartment>(await create(one, command))
  await lineWith(one, record.id, '"ready"')
  await lineWith(one, record.id, "tried")
  const lines = (await linesOf(one, record.id)).map(({ line }) => line)
  expect(lines).toContainEqual(expect.stringMatching(/^token: .*(Permission denied|No such file)/))
  expect(lines).not.toContain("killed")
  expect(lines).not.toContain("read")
  await removed(one, record)
})
