/**
 * `hub verify` finds what was damaged and nothing else; `hub rebuild` mends it, beside readers that hold on to what
 * they read.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { lastNumber } from "../../actors/log/counters.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import type { Projection } from "../../actors/projections/projection.ts"
import type { Options } from "../../ops/cli/command.ts"
import { progressOf } from "../../ops/cli/progress.ts"
import { clusterOf } from "../../ops/status/cluster.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { held } from "../support/held.ts"
import { waitFor } from "../harness/index.ts"
import { hub } from "../support/hub.ts"
import { service, past, openHistory, verify, found, parts, rebuilt, run } from "./verified.ts"
import { leftOver } from "../support/tables.ts"
import { rebuildTests } from "./rebuild.ts"

/** Commits: a reading of more than a thousand costs more than the history of one actor. */
const LONG = 1100

beforeAll(openHistory)
afterAll(() => service?.stop())

describe("verify", () => {
  const damaged = new Set<Projection>()
  const damage = async (statement: string): Promise<void> => {
    const touched = PROJECTIONS.filter(({ tables }) => tables.some(({ name }) => statement.split(/\W/).includes(name)))
    if (touched.length === 0) throw new Error(`no read model has a table of: ${statement}`)
    for (const projection of touched) damaged.add(projection)
    await run(statement)
  }
  afterEach(async () => {
    for (const projection of damaged) await rebuilt(parts(projection))
    damaged.clear()
  })

  test("of what nobody damaged, while the service writes", async () => {
    const over = new AbortController()
    const writing = (async () => {
      for (let change = 0; !over.signal.aborted; change++)
        await past.client.call("PATCH", "/api/v1/me", { body: { description: `Meanwhile ${change}.` } })
    })()
    for (let round = 0; round < 3; round++) {
      const result = await verify()
      expect(result).toMatch(
        /^snapshots: 1 of 1 equal the fold of their logs\nagent at sequence \d+\n {2}agents: 1 of 1 rows equal what the log makes\n/
      )
      expect(result).toContain("not compared: agents.last_seen_at, agent_seen: made of HUB_SEEN, ")
    }
    over.abort()
    await writing
    expect(await leftOver(service.view.db)).toEqual([])
  })

  test.each<[string, string, Options, RegExp]>([
    [
      "a value",
      "update agents set name = 'Somebody'",
      { kind: "agent" },
      /agents: 1 of 1 rows DIFFER[\s\S]*difference: agents hx\w+: name is "Somebody", the log makes it "Countess"\n/
    ],
    [
      "a row too few",
      "delete from categories where slug = 'help'",
      { kind: "category" },
      /difference: categories help: is not served, the log makes it\n/
    ],
    [
      "a row too many",
      "insert into retired_keys values ('hx0', 'k', now(), now())",
      { kind: "agent" },
      /retired_keys: 1 of 2 rows DIFFER[\s\S]*difference: retired_keys hx0 k: is served, the log does not make it\n/
    ],
    [
      "a number inside a value",
      'update agents set links = \'[{"label":"x"}]\'',
      { kind: "agent" },
      /agents hx\w+: links\[0\] is \{"label":"x"\}, the log makes it nothing\n/
    ],
    [
      "a part of a block",
      "update identity_blocks set version = version - 1",
      { kind: "agent" },
      /identity_blocks \d+: version is \d+, the log makes it \d+\n/
    ],
    [
      "a picked value",
      "update score_entries set delta = 99",
      { sample: "10" },
      /score_entries hx\w+ 1: delta is 99, the log makes it 10\n/
    ]
  ])("finds %s", async (_what, statement, values, message) => {
    await damage(statement)
    expect(await found(values)).toMatch(message)
    expect(await leftOver(service.view.db)).toEqual([])
  })

  test("finds a commit whose rows are not all there, and `status` counts it", async () => {
    await run(
      "insert into projection_faults (projection, seq, kind, id, error) values ('post', 7, 'post', '1', 'error: costly')"
    )
    for (const projection of PROJECTIONS.filter(({ name }) => name === "post")) damaged.add(projection)
    expect(await found({ kind: "post" })).toMatch(
      /difference: post has not all rows of post 1 at sequence 7: error: costly/
    )
    const { read_models } = await clusterOf(service.view)
    expect(read_models?.filter(({ faults }) => faults > 0)).toMatchObject([{ name: "post", faults: 1 }])
  })

  test("finds read models that stand still", async () => {
    await held(service.view.db, async (trx) => {
      await trx.selectFrom("projections").select("seq").where("name", "=", "agent").forUpdate().execute()
      await past.client.call("PATCH", "/api/v1/me", { body: { description: "Not seen." } })
      expect(await found({ kind: "agent" })).toMatch(
        /difference: agent stands still at sequence \d+: the log goes on behind it/
      )
    })
  })

  test("finds tables that are ahead of their stream, and counters that are behind; the nodes mend both", async () => {
    const { actors } = service.system
    const { db, manager, nats } = service.view
    await Promise.all(actors.map((actor) => actor.stop()))
    try {
      await db.updateTable("projections").set({ seq: 9_000_000 }).where("name", "=", "category").execute()
      await run("insert into messages values (8000000, 'a', 'b', '1-2', 'Text', null, now(), null)")
      const text = await found()
      expect(text).toMatch(/difference: category is at sequence 9000000, and HUB_EVENTS ends at \d+: /)
      expect(text).toMatch(/difference: the counter message stands at \d+, and the tables hold 8000000: /)
    } finally {
      await Promise.all(actors.map((actor) => actor.restart()))
    }
    const mended = async (): Promise<boolean> => {
      const { last_seq: end } = (await manager.streams.info(streams.events)).state
      const row = await db.selectFrom("projections").select("seq").where("name", "=", "category").executeTakeFirst()
      return row !== undefined && Number(row.seq) <= end && (await lastNumber(nats, "message")) >= 8_000_000
    }
    await waitFor(mended, { describe: "both to be mended" })
    await run("delete from messages where id = 8000000")
    const isVerified = async () => typeof (await verify({ kind: "category" })) === "string"
    await waitFor(isVerified, { describe: "categories of the log" })
  })

  test("of one kind looks at nothing else", async () => {
    await damage("update agents set name = 'Somebody'")
    const categories = await verify({ kind: "category" })
    expect(categories).toMatch(
      /^snapshots: none\ncategory at sequence \d+\n {2}categories: 7 of 7 rows equal what the log makes\nverified in /
    )
    expect(await verify({ kind: "handle" })).toMatch(/^snapshots: none\nverified in /)
    expect(await found({ kind: "agent" })).toContain("difference: agents ")
  })

  test("of a sample says what it cannot say", async () => {
    expect(await verify({ sample: "3" })).toContain(
      "not compared: identity_blocks, library_entries, mails, mail_sendings, mail_events, message_gaps, threads: made of all actors, and only 3 were picked"
    )
  })

  test.each<[Options, string]>([
    [{ kind: "ghost" }, "--kind takes one of address, agent, "],
    [{ sample: "0" }, "--sample takes a whole number from 1 to "],
    [{ sample: "many" }, "--sample takes a whole number from 1 to "]
  ])("%j is refused", async (values, message) => {
    await expect(verify(values)).rejects.toThrow(message)
  })

  test("ends with status 1 as a process where something differs, its progress apart from its answer", async () => {
    await damage("update agents set name = 'Somebody'")
    await expect(hub(service.system, ["verify"])).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("difference: agents ") as string,
      stderr: expect.stringMatching(
        /^(?=[^]*^agent: \d+ of \d+ \(100 %\), \d+ commits a second$)(?=[^]*^delivery: )(?:\w+: [^\n]*\n)+$/m
      ) as string
    })
  })
})

const snapshotTests = (): void => {
  const damaged = async (damage: string): Promise<string> => {
    await run("create table if not exists kept_snapshots as select * from snapshots")
    await run(damage)
    const text = await found({ kind: "agent" })
    await run("delete from snapshots")
    await run("insert into snapshots select * from kept_snapshots")
    return text
  }

  test("names the first field that is not what the log folds to", async () => {
    expect(await damaged("update snapshots set state = jsonb_set(state, '{keys,0,from}', '5')")).toMatch(
      new RegExp(
        "snapshots: 1 of 1 DIFFER[\\s\\S]*difference: snapshot of agent hx\\w+ at sequence \\d+: " +
          "state\\.keys\\[0\\]\\.from is 5, the log makes it \\d{13}\\n"
      )
    )
  })

  test("shows no secret, even one that differs", async () => {
    const text = await damaged(
      "update snapshots set state = jsonb_set(state, '{webhook_secret}', '\"sealed1.another\"')"
    )
    expect(text).toContain('state.webhook_secret is "[secret 1]", the log makes it "[secret 2]"')
  })

  test("looks at the commands that are remembered too, and at where it stands", async () => {
    expect(await damaged("update snapshots set commands = jsonb_set(commands, '{1,id}', '\"another\"')")).toMatch(
      /commands\[1\]\.id is "another", the log makes it /
    )
    expect(await damaged("update snapshots set seq = seq + 1000000")).toMatch(
      /at sequence \d+: the log has its last commit before that at \d+\n/
    )
    expect(await damaged("update snapshots set id = 'hx000000000000000000000000'")).toContain(
      "the log has nothing of it"
    )
  })
}

describe("verify of snapshots, whose histories are folded together", snapshotTests)

describe("rebuild", rebuildTests)

describe("verify of few snapshots in a long log, where each history is read by itself", () => {
  beforeAll(async () => {
    const { log, db } = service.view
    const commit = { v: 1, id: "long", op: "test", at: Date.now(), events: [] } as const
    const appends = Array.from({ length: LONG }, (_, index) => ({
      subject: subjects.event("text", `long-${index}`),
      expected: 0,
      commit
    }))
    const results = await Promise.all(appends.map((append) => log.append([append])))
    expect(results.every(({ ok }) => ok)).toBe(true)
    const { last_seq: last } = (await service.view.manager.streams.info(streams.events)).state
    await waitFor(
      async () => {
        await past.client.retrying("PATCH", "/api/v1/me", { body: { description: `Long ${Math.random()}.` } })
        const row = await db.selectFrom("snapshots").select("seq").where("id", "=", past.id).executeTakeFirst()
        return Number(row?.seq ?? 0) > last
      },
      { describe: "a snapshot of a long log" }
    )
    await run("drop table kept_snapshots")
  })
  snapshotTests()
})

test("progress is a line now and then, and one at the end", () => {
  const lines: Array<string> = []
  const progress = progressOf("main", (line) => lines.push(line))
  for (let seq = 1; seq <= 1000; seq++) progress({ messages: seq, seq, target: 1000 })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^main: 1000 of 1000 \(100 %\), \d+ commits a second\n$/)
})
