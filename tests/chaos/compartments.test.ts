/**
 * Three programs that count, while everything around them is killed: the host's own process, the engine's daemon, an
 * actor node, an edge, the bus. No second copy of one ever runs, they go on counting, and all say so again afterwards.
 */
import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { waitFor } from "../harness/index.ts"
import { create, type Hosted, hostedService, linesOf, look, type Member, member, until } from "../runtime/hosted.ts"
import { type OwnEngine, ownEngine } from "../runtime/own-engine.ts"
import { dataOf } from "../support/outcome.ts"
import { rounds } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"

/** `npm run campaign` goes on for longer. */
const ROUNDS = rounds(2)
const PROGRAMS = 3

/** It holds a lock in /data for as long as it runs: another copy would not get it, and says so. */
const COUNT = `exec 9>lock; flock -n 9 || { echo second copy; exit 7; }; echo "run begins"
n=0; while :; do n=$((n+1)); echo $n >count.new; mv count.new count; sleep 0.1; done`

let service: Hosted
let engine: OwnEngine

beforeAll(async () => {
  engine = await ownEngine()
  service = await hostedService({ processes: true, edges: 2, actors: 2 }, engine)
})
afterAll(async () => {
  try {
    await service?.stop()
  } finally {
    await engine?.stop()
  }
})

interface Counting {
  readonly one: Member
  readonly id: string
  readonly startedAt: string | null
}

const counting = async (): Promise<Counting> => {
  const one = await member(service)
  const { id } = dataOf<Compartment>(await create(one, COUNT))
  const { started_at: startedAt } = await until(one, id, "running")
  return { one, id, startedAt }
}

/** By the container's own file system, as the kernel shows it: no process of ours and no engine is asked. */
const countOf = async (pid: number): Promise<number> =>
  Number(await readFile(`/proc/${pid}/root/data/work/count`, "utf8"))

/** It runs as soon as it is given its command; its shell has yet to begin. */
const hasCounted = (pid: number): Promise<number> =>
  waitFor(() => countOf(pid).catch(() => null), { describe: "a first count" })

const pidOf = async ({ id }: Counting): Promise<number> => {
  const { State } = await service.container(id).inspect()
  return State.Pid
}

/** Killed, and started again. */
const VICTIMS: Readonly<Record<string, () => Promise<void>>> = {
  host: async () => {
    await service.system.runtime?.kill()
    await service.system.runtime?.restart()
  },
  engine: async () => {
    await engine.kill()
    await engine.start()
  },
  actor: async () => {
    await service.system.actors[0]?.kill()
    await service.system.actors[0]?.restart()
  },
  edge: async () => {
    await service.system.edges[1]?.kill()
    await service.system.edges[1]?.restart()
  },
  bus: async () => {
    await service.system.nats.kill()
    await service.system.nats.restart()
  }
}

const agreed = async ({ one, id, startedAt }: Counting): Promise<void> => {
  await waitFor(
    async () => {
      const { status, started_at, last_error } = await look(one, id)
      return status === "running" && started_at === startedAt && last_error === null
    },
    { describe: "a record that says that it runs, since it began" }
  )
  const lines = await waitFor(() => linesOf(one, id), { describe: "its lines" })
  expect(lines.map(({ line }) => line)).toEqual(["run begins"])
}

test(`${ROUNDS} rounds: programs go on, none runs twice, and all agree again`, async () => {
  const random = seeded("compartments")
  const all = await Promise.all(Array.from({ length: PROGRAMS }, () => counting()))
  const pids = await Promise.all(all.map(pidOf))
  await Promise.all(pids.map(hasCounted))
  const names = Object.keys(VICTIMS)
  for (let round = 0; round < ROUNDS; round++) {
    const victims = new Set([random.pick(names), random.pick(names)])
    const before = await Promise.all(pids.map(countOf))
    await Promise.all([...victims].map((name) => VICTIMS[name]?.()))
    const begun = performance.now()
    await Promise.all(all.map(agreed))
    console.log(
      `round ${round + 1}: ${[...victims].join(" and ")}; all agree after ${Math.round(performance.now() - begun)} ms`
    )
    await waitFor(async () => (await Promise.all(pids.map(countOf))).every((count, at) => count > (before[at] ?? 0)), {
      describe: `programs that count on, after ${[...victims].join(" and ")}`
    })
  }
  expect(await Promise.all(all.map(pidOf))).toEqual(pids)
})
