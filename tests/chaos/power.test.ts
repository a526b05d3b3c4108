/**
 * The machine loses its power, with all processes and with all that was not flushed to its disk. What was acknowledged
 * is there once; what was not is there once or not at all, as whoever asks again is told.
 */
import { rm } from "node:fs/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { testFolder, waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { rounds } from "../support/rounds.ts"
import { seeded, type SeededRandom } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"
import { Community } from "./community.ts"
import { expectWritten } from "./community-verdict.ts"
import { PowerDisk } from "./power-disk.ts"
import { isSettled } from "./verdict.ts"

const MEMBERS = 6
const ROUNDS = rounds(1)
/** Of each agent before a cut, at most: how many is drawn anew each time. */
const WRITES_MAX = 6

let folder: string
let disk: PowerDisk
let service: TestService
let random: SeededRandom
let community: Community

beforeAll(async () => {
  random = seeded("power cuts")
  folder = await testFolder("power")
  disk = await PowerDisk.make(folder)
  service = await testService({
    processes: true,
    edges: 1,
    actors: 1,
    within: disk.mount,
    // The disk is small: nothing is set aside on it, and writes end at no floor.
    natsStoreMaxBytes: 2 ** 36,
    postgresSettings: { fsync: "on", full_page_writes: "on" },
    limits: {
      "rate_limits.vote.requests": 1_000_000,
      "rate_limits.message.requests": 1_000_000,
      "service.storage_free_min_bytes": 1_048_576
    }
  })
  await waitFor(() => isSettled(service.view, 1), { describe: "an actor node with shards" })
  // The servers' folders are copies of a template, which nobody flushed.
  await disk.flush()
  community = await Community.of(MEMBERS, service.edges, random)
})
afterAll(async () => {
  await service?.stop()
  await disk?.close()
  await rm(folder, { recursive: true, force: true })
})

test("what was acknowledged is there once, whenever the power goes", async () => {
  const { nats, postgres, actors, edges } = service.system
  community.start()
  for (let round = 0; round < ROUNDS; round++) {
    const moment = performance.now()
    const writes = random.between(1, WRITES_MAX)
    await waitFor(() => community.wroteSince(moment, writes), { describe: `writes before cut ${round}` })
    for (const server of [nats, postgres]) server.freeze()
    await disk.cut()
    await Promise.all([nats, postgres, ...actors, ...edges].map((one) => one.kill()))
    await disk.powerUp()
    await Promise.all([nats, postgres].map((one) => one.restart()))
    await Promise.all([...actors, ...edges].map((one) => one.restart()))
    // The view of the test knows more of the leases than the disk does: the writes of the next round tell that it serves.
  }
  const moment = performance.now()
  await waitFor(() => community.wroteSince(moment, 1), { describe: "writes after the last cut" })
  await community.stop()
  expect(community.faults).toEqual([])
  await expectWritten(community, service, random)
  expect(await operate(service.system, ["verify"])).toMatch(/\nverified in/)
})
