/**
 * Three programs that count, while everything around them is killed: the host's own process, the engine's daemon, an
 * actor node, an edge, the bus. No second copy of one ever runs, they go on counting, and all say so again afterwards.
 */
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import Docker from "dockerode"
import { afterAll, beforeAll, expect, test } from "vitest"
import { engineFor, stopEngine } from "../../ops/runtime/engine.ts"
import { placesOf } from "../../ops/runtime/places.ts"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { waitFor } from "../harness/index.ts"
import { create, type Hosted, hostedService, linesOf, look, type Member, member, until } from "../runtime/hosted.ts"
import { type SharedEngine, sharedEngine } from "../runtime/shared-engine.ts"
import { dataOf } from "../support/outcome.ts"
import { rounds } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"

/** `npm run campaign` goes on for longer. */
const ROUNDS = rounds(2)
const PROGRAMS = 3
const AGREED_MS = 120_000

/** It holds a lock in /data for as long as it runs: another copy would not get it, and says so. */
const COUNT = `exec 9>lock; flock -n 9 || { echo second copy; exit 7; }; echo "run begins"
n=0; while :; do n=$((n+1)); echo $n >count.new; mv count.new count; sleep 0.1; done`

let service: Hosted
let engine: SharedEngine
let own = ""

const env: NodeJS.ProcessEnv = { ...process.env, HUB_DOCKER_SOCKET: "", HUB_RUNTIME_IMAGE: "" }
const startEngine = (dataDir: string) =>
  engineFor({ dataDir, env, progress: () => undefined, machineSocket: join(dataDir, "none.sock") })

/** An engine of this test's own, which may be killed, with the image that all tests share. */
const ownEngine = async (): Promise<SharedEngine> => {
  const shared = await sharedEngine()
  own = await mkdtemp(join(tmpdir(), "hub-chaos-"))
  const { socket } = await startEngine(own)
  const saved = await new Docker({ socketPath: shared.socket }).getImage(shared.image).get()
  const load = spawn("docker", ["--host", `unix://${socket}`, "load", "--quiet"], {
    stdio: ["pipe", "ignore", "inherit"]
  })
  const loaded = new Promise<void>((resolve, reject) => {
    load.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`docker load ended with ${code}`))))
  })
  await Promise.all([pipeline(saved, load.stdin), loaded])
  return { dataDir: own, socket, image: shared.image }
}

beforeAll(async () => {
  engine = await ownEngine()
  service = await hostedService({ edges: 2, actors: 2, keeper: false }, engine)
})
afterAll(async () => {
  try {
    await service?.stop()
  } finally {
    // Else its programs would count on, and take the cores from all tests behind it.
    if (own !== "") await stopEngine(own, "kill")
  }
  if (own !== "") await rm(own, { recursive: true, force: true })
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
  waitFor(() => countOf(pid).catch(() => null), { describe: "a first count", deadlineMs: AGREED_MS })

const pidOf = async ({ id }: Counting): Promise<number> => {
  const { State } = await service.container(id).inspect()
  return State.Pid
}

const daemonKilled = async (): Promise<void> => {
  process.kill(Number(await readFile(placesOf(own).pidFile, "utf8")), "SIGKILL")
  await startEngine(own)
}

/** Killed, and started again. */
const VICTIMS: Readonly<Record<string, () => Promise<void>>> = {
  host: async () => {
    await service.system.runtime?.kill()
    await service.system.runtime?.restart()
  },
  engine: daemonKilled,
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
    { describe: "a record that says that it runs, since it began", deadlineMs: AGREED_MS }
  )
  const lines = await waitFor(() => linesOf(one, id), { describe: "its lines", deadlineMs: AGREED_MS })
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
