/**
 * What backups promise of their cuts, under as many writes as the servers take; what a restore refuses; what is left of
 * either when it is killed.
 */
import { Effect, Stream } from "effect"
import { mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { nextNumber } from "../../actors/log/counters.ts"
import { pagesOf } from "../../actors/log/stream-pages.ts"
import { ensureStreams } from "../../actors/log/streams.ts"
import { HashedFile } from "../../ops/backup/files.ts"
import { copyRest, copyRestOfBatch, writeTail } from "../../ops/backup/tail.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { streams } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { operate, refusal } from "../support/operator.ts"
import { rounds } from "../support/rounds.ts"
import {
  GROUP,
  signal,
  from,
  into,
  folder,
  logOf,
  commit,
  committed,
  taken,
  brought,
  emptied,
  openSides,
  closeSides,
  subjectOfCount,
  load,
  fires
} from "../ops/copies.ts"
import { restoreTests } from "../ops/restore.ts"

/** Rounds in which all is restored, whatever came of the lot. */
const SAMPLE = 2

/** Rounds of which some should be cut inside a batch. */
const LUCKY = 25

beforeAll(openSides)
afterAll(closeSides)

describe("a cut under writes", () => {
  test("holds whole commits, the newest of what is replaced, every number and every timer", async () => {
    let cutInside = 0
    const most = rounds(SAMPLE)
    for (let round = 0; round < most; round++) {
      const running = await load(round)
      const before = { names: [...running.acknowledged], counts: [...running.counts] }
      const to = `${folder}-${round}`
      const manifest = await taken(to).finally(running.stop)
      const inside = (manifest.streams.find(({ name }) => name === streams.events)?.tail.messages ?? 0) > 0
      if (inside) cutInside++
      if (round < SAMPLE || inside) {
        await brought(to)
        await holds(before)
      }
      await rm(to, { recursive: true })
    }
    console.log(`${cutInside} of ${most} cuts lay inside a batch`)
    // That takes luck, which only a campaign has.
    if (most >= LUCKY) expect(cutInside, "a cut inside a batch").toBeGreaterThan(0)
  })

  test("holds the rest of a batch, wherever in it the cut lies", async () => {
    const log = logOf(from.nats)
    const { last_seq: before } = (await from.manager.streams.info(streams.events)).state
    for (const size of [1, GROUP, 2])
      await commit(
        log,
        Array.from({ length: size }, (_, member) => `whole-${size}-${member}`)
      )
    const ends = [0, 1, 1 + GROUP, 3 + GROUP]
    for (let place = 0; place <= 3 + GROUP; place++) {
      const end = ends.find((one) => one >= place) ?? 0
      const file = await HashedFile.create(join(from.servers.folder, `rest-${place}`))
      expect([place, await copyRestOfBatch(from.manager, streams.events, before + place, file)]).toEqual([
        place,
        end - place
      ])
      expect((await file.end()).bytes > 0).toBe(end > place)
    }
  })

  test.each([0, 1, 7])(
    "brings back a counter whose number was replaced while it was copied, where the archive has %i of it",
    async (archived) => {
      await emptied()
      await ensureStreams(into.nats, LIMITS, 1)
      for (let number = 0; number < archived; number++) await nextNumber(into.nats, "replaced")
      for (let number = 0; number < 5; number++) await nextNumber(from.nats, "replaced")
      const newest = await nextNumber(from.nats, "replaced")
      const path = join(from.servers.folder, `counter-${archived}`)
      const file = await HashedFile.create(path)
      const { last_seq: last } = (await from.manager.streams.info(streams.counters)).state
      expect(await copyRest(from, streams.counters, last - 2, file, signal)).toBe(1)
      await file.end()
      await writeTail(into.nats, path, 0, false)
      expect(await nextNumber(into.nats, "replaced")).toBe(Math.max(newest, archived) + 1)
    }
  )

  async function holds(before: {
    readonly names: ReadonlyArray<string>
    readonly counts: ReadonlyArray<number>
  }): Promise<void> {
    const names = await committed(into.nats)
    expect(
      before.names.filter((name) => !names.has(name)),
      "commits acknowledged before"
    ).toEqual([])
    const groups = Map.groupBy(
      [...names].filter((name) => name.startsWith("group-")),
      (name) => name.slice(0, name.lastIndexOf("-"))
    )
    expect(
      [...groups].filter(([, members]) => members.length !== GROUP),
      "half commits"
    ).toEqual([])
    const counts = new Map<string, number>()
    for (const page of await Effect.runPromise(Stream.runCollect(pagesOf(into.nats, streams.verified, 0, 1000))))
      for (const { subject, data } of page) counts.set(subject, Number(Buffer.from(data).toString()))
    const lost = before.counts.flatMap((count, index) =>
      (counts.get(subjectOfCount(index)) ?? 0) < count ? [index] : []
    )
    expect(lost, "counts that are missing or older than before").toEqual([])
    const numbers = [...names]
      .filter((name) => name.startsWith("number-"))
      .map((name) => Number(name.slice("number-".length)))
    expect(await nextNumber(into.nats, "agent")).toBeGreaterThan(Math.max(...numbers))
    const fired = await fires()
    const open = () =>
      [...names].filter(
        (name) => name.startsWith("set-") && !names.has(`done-${name.slice(4)}`) && !fired.names.has(name.slice(4))
      )
    await waitFor(() => open().length === 0, { describe: "every timer that the log has set and not answered" }).catch(
      (error: unknown) => {
        throw new Error(`${open().length} timers never fired: ${open().slice(0, 5)}`, { cause: error })
      }
    )
    await fired.stop()
  }
})

describe("a restore", restoreTests)

describe("a backup", () => {
  test("that is interrupted leaves no folder; nor is one made over another that is under way", async () => {
    const to = join(from.servers.folder, "interrupted")
    const { child, ended } = await operate(from.desk, ["backup", to])
    await waitFor(async () => (await readdir(from.servers.folder)).includes("interrupted.partial"), {
      describe: "the backup to begin"
    })
    child.kill("SIGINT")
    const { status, errors } = await ended
    expect({ status, last: errors.trimEnd().split("\n").at(-1) }).toEqual({ status: 1, last: "interrupted" })
    expect((await readdir(from.servers.folder)).filter((name) => name.startsWith("interrupted"))).toEqual([])
    await mkdir(`${to}.partial`)
    await expect(taken(to)).rejects.toThrow(".partial is there: a backup into ")
  })

  test("needs the service's key", async () => {
    expect(await refusal({ ...from.desk, serverKey: "short" }, ["backup", join(from.servers.folder, "keyless")])).toBe(
      "HUB_SERVER_KEY is no key of the service: it must be base64 of 32 bytes"
    )
  })
})
