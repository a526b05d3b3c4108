/** `hub replay` on the histories of a running service: every kind, every moment, what was not to be seen. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { KINDS } from "../../actors/process/kinds.ts"
import type { Agent } from "../../actors/agent/state.ts"
import type { Options } from "../../ops/cli/command.ts"
import { replayCommand } from "../../ops/cli/replay.ts"
import { readFixture } from "../../ops/replay/fixture.ts"
import { replay as replayed, stateProblem } from "../../ops/replay/fold.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { logOf } from "../support/service.ts"
import { said } from "./history.ts"
import { service, past, folder, openPast, replay, entries, command } from "./past.ts"

/** Of those that other files left in the same system. */
const ACTORS_MAX = 2000

beforeAll(openPast)
afterAll(() => service?.stop())

const fromFile = (file: string, values: Options = {}): Promise<string> =>
  said(replayCommand, service, [], { ...values, "from-file": file })

describe("a history", () => {
  test("is there of every kind that keeps a log", async () => {
    const named: Readonly<Record<string, ReadonlyArray<string>>> = {
      agent: [
        past.id,
        past.handle,
        past.handle.toUpperCase(),
        past.number,
        past.number.toLowerCase(),
        past.secondHubId
      ],
      key: [past.id, past.firstKey, past.secondKey],
      handle: [past.handle],
      number: [past.number],
      category: ["general"],
      challenge: [past.challenge]
    }
    for (const [kind, references] of Object.entries(named)) {
      for (const reference of references)
        expect(await replay(kind, reference), `${kind} ${reference}`).toMatch(
          new RegExp(`^${kind} \\S+\n\n#\\d+  \\d{4}-`)
        )
    }
    const replayed = new Set(Object.keys(named))
    const others = KINDS.map((kind) => kind.fold.kind).filter((kind) => !replayed.has(kind))
    // Those that go by their agent: one that has no mail.
    const ofAgents = new Set(["mailer", "mail_domain_holder", "vault"])
    const ending = new Set(KINDS.filter(({ fold }) => fold.ends === true).map(({ fold }) => fold.kind))
    for (const kind of others) {
      const ended = ending.has(kind) ? ": there was none, or it has ended and is no longer kept" : ""
      const name = ofAgents.has(kind) ? past.handle : "nobody"
      await replay(kind, name).catch((error: Error) =>
        expect(error.message).toBe(`the log holds nothing of ${kind} ${name}${ended}`)
      )
    }
    expect(await replay("limit", "ip")).toMatch(/^limit: no history; /)
  })

  test("tells one agent by all of its names", async () => {
    const [wanted] = (await replay("agent", past.id)).split("\n")
    for (const reference of [past.handle, past.number, past.secondHubId])
      expect((await replay("agent", reference)).split("\n")[0]).toBe(wanted)
  })

  test("of an origin is found by the hash that the log knows it by", async () => {
    const subject = await waitFor(
      async () => {
        const info = await service.view.manager.streams.info(streams.events, {
          subjects_filter: subjects.event("origin", "*")
        })
        return Object.keys(info.state.subjects ?? {})[0]
      },
      { describe: "the origin of a registration" }
    )
    expect(await replay("origin", subject.split(".")[3] ?? "")).toContain("origin.registered v1")
  })

  test.each([["a.b"], ["*"], [">"], ["a b"]])("of %j is refused: it is no id", async (reference) => {
    await expect(replay("category", reference)).rejects.toThrow("an id holds no space, no dot, no * and no >")
  })
})

describe("a moment", () => {
  test("by sequence or time shows the state that the log had led to", async () => {
    const [registered, described, rotated] = await entries()
    if (registered === undefined || described === undefined || rotated === undefined)
      throw new Error("too short a history")
    const iso = new Date(described.commit.at).toISOString()
    for (const at of [
      String(described.seq),
      `#${described.seq}`,
      `#${rotated.seq - 1}`,
      iso,
      String(described.commit.at)
    ]) {
      const { seq, state } = JSON.parse(await replay("agent", past.id, { at, json: true })) as {
        seq: number
        state: Agent
      }
      expect({ seq, description: state.description, keys: state.keys.length }, at).toEqual({
        seq: described.seq,
        description: "I count things.",
        keys: 1
      })
    }
    expect(await replay("agent", past.id, { at: String(rotated.seq) })).toContain(past.secondKey)
    await expect(replay("agent", past.id, { at: "2001-01-01T00:00:00Z" })).rejects.toThrow(
      /^the log holds nothing of agent .* up to 2001-01-01T00:00:00.000Z$/
    )
    await expect(replay("agent", past.id, { at: "yesterday" })).rejects.toThrow(/^--at takes a sequence /)
  })

  test("against another shows what changed, field by field", async () => {
    const all = await entries()
    const text = await replay("agent", past.id, { diff: [`#${all[0]?.seq}`, `#${all[1]?.seq}`] })
    expect(
      text
        .split("\n")
        .slice(1)
        .map((line) => line.trim().replace(/ +/g, " "))
    ).toEqual([`description "" → "I count things."`])
    const { changes } = JSON.parse(
      await replay("agent", past.id, { diff: ["0", `#${all.at(-1)?.seq}`], json: true })
    ) as { changes: ReadonlyArray<{ path: string; before: unknown }> }
    expect(changes).toEqual([expect.objectContaining({ path: "", before: null })])
    expect(await replay("agent", past.id, { diff: [`#${all[1]?.seq}`, `#${all[1]?.seq}`] })).toContain(
      "nothing differs"
    )
  })

  test.each<[Options, string]>([
    [{ at: "1", to: "2" }, "--at and --to do not go together"],
    [{ at: "1", export: "x" }, "--at and --export do not go together"],
    [{ diff: ["1"] }, "--diff takes two points, each a sequence"],
    [{ to: "2026-13-01" }, "--to takes a sequence"]
  ])("%j is refused", async (values, message) => {
    await expect(replay("agent", past.id, values)).rejects.toThrow(message)
  })
})

describe("a fixture", () => {
  test("of a history replays as the history does", async () => {
    const file = join(folder, "agent.json")
    expect(await replay("agent", past.handle, { export: file })).toBe(
      `${file}: 4 commits of agent ${past.id}, secrets masked`
    )
    await expect(replay("agent", past.handle, { export: file })).rejects.toThrow(`${file} exists already`)
    const plain = (text: string): string => text.replaceAll(/"webhook_url":"[^"]*"|"\[secret \d+\]"/g, "…")
    expect(plain(await fromFile(file))).toBe(plain(await replay("agent", past.handle)))
    const [, described] = await entries()
    for (const values of [
      { at: `#${described?.seq}`, json: true },
      { diff: ["0", `#${described?.seq}`] },
      { to: `#${described?.seq}` },
      { "what-if": await command("ban", { op: "agent.ban", input: { reason: "r" }, at: 1_800_000_000_000 }) }
    ] satisfies ReadonlyArray<Options>) {
      expect(plain(await fromFile(file, values)), JSON.stringify(values)).toBe(
        plain(await replay("agent", past.handle, values))
      )
    }
    expect(readFixture(await readFile(file, "utf8")).commits).toHaveLength(4)
  })

  test("of a challenge judges as the challenge did, but for masked answers", async () => {
    const file = join(folder, "challenge.json")
    await replay("challenge", past.challenge, { export: file })
    expect(await fromFile(file)).toMatch(/challenge.served v1 [\s\S]*challenge.consumed v1 /)
  })
})

test("no secret of a registration and a rotation is shown by any of these", async () => {
  const all = await entries()
  const last = `#${all.at(-1)?.seq}`
  const files = [join(folder, "masked-agent.json"), join(folder, "masked-challenge.json")] as const
  await replay("agent", past.handle, { export: files[0] })
  await replay("challenge", past.challenge, { export: files[1] })
  const register = await command("register", {
    op: "challenge.register",
    input: {
      form: {
        challenge_id: past.challenge,
        handle: "other",
        name: "n",
        answers: { q1: "my answer" },
        captcha_bypass: "my token"
      },
      hub_id: past.id,
      origin: "somewhere"
    },
    facts: { questions: [] }
  })
  const serve = await command("serving", { op: "challenge.serve", input: { pow_nonce: "0" } })
  const [created] = await logOf(service.view, "challenge", past.challenge)
  const outputs = await Promise.all([
    ...[{}, { json: true }, { at: last }, { diff: ["0", last] }, { diff: ["0", last], json: true }].flatMap(
      (values: Options) => [replay("agent", past.handle, values), replay("challenge", past.challenge, values)]
    ),
    replay("challenge", past.challenge, { "what-if": register, to: `#${created?.seq}` }),
    replay("challenge", past.challenge, { "what-if": serve, to: `#${created?.seq}`, json: true }),
    ...files.map((file) => readFile(file, "utf8")),
    ...files.map((file) => fromFile(file, { json: true }))
  ])
  expect(past.secrets.length).toBeGreaterThan(6)
  for (const output of outputs) {
    expect(output.length).toBeGreaterThan(50)
    for (const secret of [
      "my answer",
      "my token",
      past.secrets[0] ?? "",
      ...past.secrets.filter((one) => one.startsWith("sealed1."))
    ])
      expect(output).not.toContain(secret)
    for (const answer of past.secrets.filter((one) => one.startsWith('"')))
      expect(output).not.toContain(`"answer":${answer}`)
    expect(output).not.toMatch(/sealed1\.|whsec_|"answers?":(?!"\[secret|\{\}|"",)/)
  }
  for (const file of files) expect(await readFile(file, "utf8")).not.toContain("in-the-address")
})

test("every state that the log makes, step by step, is what its kind declares", async () => {
  const info = await service.view.manager.streams.info(streams.events, {
    subjects_filter: `${subjects.event("*", "*")}`
  })
  const all = Object.keys(info.state.subjects ?? {}).map((subject) => subject.split(".").slice(-2))
  const kinds = new Set<string>()
  for (const [kind = "", id = ""] of all.slice(0, ACTORS_MAX)) {
    // No actor's: what the archive notes in the log.
    if (kind === "log") continue
    const found = KINDS.find(({ fold }) => fold.kind === kind)
    if (found === undefined) throw new Error(`there is no kind ${kind}`)
    kinds.add(kind)
    for (const { entry, state } of await replayed(await logOf(service.view, kind, id), found.fold, id, null))
      expect([kind, id, entry.seq, stateProblem(kind, state)]).toEqual([kind, id, entry.seq, null])
  }
  expect([...kinds]).toEqual(expect.arrayContaining(["agent", "category", "challenge", "handle", "key", "number"]))
})
