/** A restore brings all that was, and refuses what is damaged. */
import { randomBytes } from "node:crypto"
import { cp, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { nextNumber } from "../../actors/log/counters.ts"
import { type Manifest, manifestText, sha256Of } from "../../ops/backup/manifest.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { operated, refusal } from "../support/operator.ts"
import { seed, serviceKey, from, into, folder, logOf, commit, taken, brought, heldBy, emptied } from "./copies.ts"

const VAULT = subjects.event("vault", "one")

export const restoreTests = (): void => {
  let manifest: Manifest

  beforeAll(async () => {
    const log = logOf(from.nats)
    await Promise.all(
      Array.from({ length: 200 }, (_, group) =>
        commit(
          log,
          Array.from({ length: 500 }, (_, member) => `bulk-${group}-${member}`)
        )
      )
    )
    const vault = { v: 1 as const, id: "vault", op: "test", at: Date.now(), events: [] }
    await log.append([{ subject: VAULT, expected: 0, commit: vault }])
    manifest = await taken(folder)
  })

  test("brings every stream as it was, and is not made over what is there", async () => {
    await emptied()
    await operated(into.desk, ["restore", folder, "--gap", "0", "--replace"])
    for (const { name } of manifest.streams) {
      const [was, is] = await Promise.all([from.manager.streams.info(name), into.manager.streams.info(name)])
      // The record of the restore, and the one vault is told.
      const told = name === streams.events ? 2 : 0
      expect([name, is.state.messages, is.state.last_seq]).toEqual([
        name,
        was.state.messages + told,
        was.state.last_seq + told
      ])
      if (was.state.messages > 0)
        expect([name, is.state.first_seq, is.state.first_ts]).toEqual([name, was.state.first_seq, was.state.first_ts])
      const { metadata: _was, ...config } = was.config
      const { metadata: _is, ...restored } = is.config
      expect(restored).toEqual(config)
    }
    const { config, ack_floor } = await into.manager.consumers.info(streams.timers, consumers.timers)
    expect(config.filter_subject).toBe(subjects.timerFires)
    expect(ack_floor.stream_seq).toBe(manifest.consumers.find(({ name }) => name === consumers.timers)?.floor)
    expect(await refusal(into.desk, ["restore", folder])).toMatch(
      /^JetStream holds HUB_ASIDE, HUB_AUDIT, HUB_BLOBS, HUB_COUNTERS, .*--replace/
    )
  })

  test.each([
    [true, null],
    [false, expect.any(Number)]
  ])("tells each vault that it came back; with cards at once: %j", async (cards, from_then) => {
    await emptied()
    await operated(into.desk, ["restore", folder, "--gap", "0", "--replace", ...(cards ? ["--cards"] : [])])
    const { entries } = await logOf(into.nats).read(VAULT, 0, 10)
    const told = entries.slice(1).map(({ commit: { events } }) => events)
    expect(told).toEqual([[{ type: "vault.restored", v: 1, cards_from: from_then, skipped: 1000 }]])
    if (cards) return
    const then = Number(JSON.stringify(told).match(/"cards_from":(\d+)/)?.[1])
    const at = entries.at(-1)?.commit.at ?? 0
    expect(then % 86_400_000).toBe(0)
    expect(then - at).toBeGreaterThan(0)
    expect(then - at).toBeLessThanOrEqual(86_400_000)
  })

  test("leaves a gap in the log and in the counters, which outlives the server", async () => {
    const { lastSeq, nextSeq } = await brought(folder, 500)
    // The one vault is told behind it.
    expect(nextSeq).toBe(lastSeq + 5002)
    await into.servers.nats.kill()
    await into.servers.nats.restart()
    await waitFor(() => into.manager.streams.info(streams.events), { describe: "the server" })
    // Nothing has been drawn there since the backup.
    expect(await nextNumber(into.nats, "agent")).toBe((await nextNumber(from.nats, "agent")) + 500)
    const result = await commit(logOf(into.nats), ["after-the-gap"])
    expect(result).toMatchObject({ ok: true, seqs: [nextSeq] })
  })

  const damaged = async (name: string, damage: (copy: string) => Promise<unknown>): Promise<string> => {
    const copy = join(from.servers.folder, `damaged-${name}`)
    await cp(folder, copy, { recursive: true })
    await damage(copy)
    return copy
  }
  const flip = async (file: string, at: number): Promise<void> => {
    const bytes = await readFile(file)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(file, bytes)
  }
  const forge =
    (change: (manifest: Record<string, unknown>) => unknown) =>
    async (copy: string): Promise<void> => {
      const forged = structuredClone(manifest) as unknown as Record<string, unknown>
      change(forged)
      await writeFile(join(copy, "manifest.json"), manifestText(forged as unknown as Manifest))
    }
  const firstStream = (forged: Record<string, unknown>): Record<string, unknown> =>
    (forged["streams"] as Array<Record<string, unknown>>)[0] ?? {}

  test.each<[string, (copy: string) => Promise<unknown>, RegExp]>([
    [
      "a wrong byte in a stream",
      (copy) => flip(join(copy, "HUB_EVENTS.snapshot"), 5000),
      /HUB_EVENTS\.snapshot does not have the checksum that the manifest says: the backup is damaged$/
    ],
    [
      "a wrong byte in the manifest",
      (copy) => flip(join(copy, "manifest.json"), 900),
      /manifest\.json (does not have the checksum|is no)/
    ],
    [
      "a file that is cut",
      (copy) => truncate(join(copy, "HUB_COUNTERS.snapshot"), 10),
      /HUB_COUNTERS\.snapshot has 10 bytes, the manifest says \d+: the backup is damaged$/
    ],
    ["a missing file", (copy) => rm(join(copy, "HUB_TIMERS.tail")), /HUB_TIMERS\.tail cannot be read: ENOENT$/],
    [
      "no manifest",
      (copy) => rm(join(copy, "manifest.json")),
      /is no backup: its manifest\.json cannot be read \(ENOENT\)$/
    ],
    [
      "another program's manifest",
      (copy) => writeFile(join(copy, "manifest.json"), '{"backup":{"name":"x"},"sha256":"0"}'),
      /manifest\.json does not have the checksum/
    ],
    [
      "a manifest that is none",
      (copy) => writeFile(join(copy, "manifest.json"), "[1]"),
      /manifest\.json is no manifest of a backup$/
    ],
    [
      "a manifest of a later format",
      forge((forged) => (forged["format"] = 2)),
      /is of format 2, this release reads format 1$/
    ],
    [
      "a stream named like a path",
      forge((forged) => (firstStream(forged)["name"] = "../../x")),
      /is no manifest of a backup: /
    ],
    [
      "a stream that is not the service's",
      forge((forged) => (firstStream(forged)["name"] = "KV_other")),
      /is no manifest of a backup: /
    ],
    [
      "a stream that copies from elsewhere",
      forge((forged) => ((firstStream(forged)["config"] as Record<string, unknown>)["sources"] = [{ name: "OTHER" }])),
      /has sources in the configuration of HUB_IDEMPOTENCY$/
    ],
    [
      "a stream on foreign subjects",
      forge((forged) => ((firstStream(forged)["config"] as Record<string, unknown>)["subjects"] = ["other.>"])),
      /has subjects in the configuration of HUB_IDEMPOTENCY that are not the service's$/
    ],
    [
      "a stream too few",
      forge((forged) => {
        forged["streams"] = (forged["streams"] as ReadonlyArray<{ name: string }>).filter(
          ({ name }) => name !== streams.timers
        )
      }),
      /does not hold HUB_TIMERS$/
    ]
  ])("of %s is refused in one line, and nothing is written", async (what, damage, message) => {
    await emptied()
    const copy = await damaged(sha256Of(what).slice(0, 8), damage)
    expect(await refusal(into.desk, ["restore", copy, "--replace"])).toMatch(message)
    expect(await refusal(into.desk, ["backup", "--check", copy])).toMatch(message)
    expect(await heldBy(into)).toEqual([])
  })

  test("under another key is refused by name, and shows neither key", async () => {
    const other = randomBytes(32)
    const said = await refusal({ ...into.desk, serverKey: other.toString("base64") }, ["restore", folder, "--replace"])
    expect(said).toContain(`belongs to the service's key ${serviceKey}, and this one is `)
    expect(said).not.toContain(other.toString("base64"))
    expect(said).not.toContain(seed.toString("base64"))
    expect(await heldBy(into)).toEqual([])
  })

  test("with more replicas than there can be is refused", async () => {
    await emptied()
    expect(await refusal(into.desk, ["restore", folder, "--replicas", "nine"])).toBe(
      "--replicas takes a whole number from 1 to 5"
    )
    expect(await refusal(into.desk, ["restore", folder, "--replicas", "3", "--replace"])).toBe(
      "3 replicas need a cluster, and this nats-server is none: give --replicas 1"
    )
    expect(await heldBy(into)).toEqual([])
  })
}
