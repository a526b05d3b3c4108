/** `hub tail` as an engineer runs it: a process that follows until it is interrupted, whatever becomes of the bus. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { streams } from "../../schemas/subjects.ts"
import { archiveOf, programPath, waitFor } from "../harness/index.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { commitsIn } from "../support/commits.ts"
import { operate } from "../support/hub.ts"
import { type History, liveThrough } from "./history.ts"

let service: TestService
let past: History
const running = new Set<ChildProcess>()

beforeAll(async () => {
  service = await sharedService({ processes: true })
  past = await liveThrough(service)
})
afterAll(() => service?.stop())
afterEach(() => {
  for (const child of running) child.kill("SIGKILL")
  running.clear()
})

interface Tail {
  readonly child: ChildProcess
  readonly lines: () => ReadonlyArray<string>
  readonly errors: () => string
  /** Ctrl-C; resolves to the exit status. */
  readonly interrupt: () => Promise<number | null>
}

async function tail(...args: ReadonlyArray<string>): Promise<Tail> {
  const child = spawn(process.execPath, ["--no-warnings", await programPath("hub"), "tail", ...args], {
    cwd: projectRoot,
    env: {
      ...process.env,
      HUB_NATS_URL: service.system.nats.url,
      HUB_DATABASE_URL: service.system.postgres.url,
      HUB_ARCHIVE: archiveOf(service.system)
    }
  })
  running.add(child)
  let [output, errors] = ["", ""]
  child.stdout?.on("data", (chunk) => (output += String(chunk)))
  child.stderr?.on("data", (chunk) => (errors += String(chunk)))
  return {
    child,
    lines: () => output.split("\n").slice(0, -1),
    errors: () => errors,
    interrupt: async () => {
      child.kill("SIGINT")
      const [status] = (await once(child, "exit")) as [number | null]
      return status
    }
  }
}

const define = (slug: string): Promise<string> =>
  operate(service.system, ["category", "define", slug, "--name", slug, "--position", "5"])
const showing = (one: Tail, text: string): Promise<unknown> =>
  waitFor(() => one.lines().some((line) => line.includes(text)), {
    describe: `a line with ${text}; stderr: ${one.errors()}`
  })

test("shows from a point on one line a commit, goes on over a restart of the bus without a gap, and ends in order", async () => {
  const one = await tail("--since", "1")
  await showing(one, `agent/${past.id}  challenge.register  agent.registered agent.score_changed`)
  await showing(one, `challenge/${past.challenge}  challenge.serve  challenge.served`)
  await service.system.nats.kill()
  await service.system.nats.restart()
  await waitFor(() => define("after-the-restart").then(() => true), { describe: "the service to take a command again" })
  await showing(one, "category/after-the-restart  category.define  category.defined")
  const sequences = one.lines().map((line) => Number(/^#(\d+) /.exec(line)?.[1]))
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
  const { manager } = service.view
  // The test's own connection may lose a request while it comes back.
  const { first_seq } = await waitFor(async () => (await manager.streams.info(streams.events)).state)
  expect(sequences.filter((seq) => seq >= first_seq)).toHaveLength(await commitsIn(manager))
  expect(one.errors()).toMatch(/the bus is gone; waiting for it\nthe bus is back\n/)
  expect(await one.interrupt()).toBe(0)
})

test("follows one kind or one actor, from a time on or from now on, as JSON without secrets", async () => {
  const agent = await tail(past.handle, "--since", "2001-01-01T00:00:00Z", "--json")
  const handles = await tail("handle", "--since", "1")
  const challenge = await tail("challenge", past.challenge, "--since", "1", "--json")
  const live = await tail("category")
  await showing(agent, "Countess")
  await showing(handles, `handle/${past.handle}  challenge.register  handle.claimed`)
  await showing(challenge, "challenge.consumed")
  // What is live shows nothing of the past: the first it shows is what comes once it listens.
  let made = 0
  await waitFor(
    async () => {
      await define(`live-${made++}`)
      return live.lines().length > 0
    },
    { describe: "a live line" }
  )
  expect(live.lines().every((line) => line.includes("  category/live-"))).toBe(true)
  expect(agent.lines().map((line) => (JSON.parse(line) as { kind: string; id: string }).id)).toEqual(
    Array.from({ length: 4 }, () => past.id)
  )
  expect(handles.lines().filter((line) => line.includes(past.handle))).toHaveLength(1)
  for (const { lines } of [agent, challenge]) {
    const text = lines().join("\n")
    expect(text).toContain("[secret 1]")
    for (const secret of past.secrets)
      expect(text).not.toContain(secret.startsWith('"') ? `"answer":${secret}` : secret)
  }
  expect(await Promise.all([agent, handles, challenge, live].map((one) => one.interrupt()))).toEqual([0, 0, 0, 0])
})

test("ends by itself at a point, a sequence or a time", async () => {
  const { last_seq } = (await service.view.manager.streams.info(streams.events)).state
  const whole = await tail("--since", "1", "--until", String(last_seq))
  const [status] = (await once(whole.child, "exit")) as [number | null]
  expect([status, whole.errors()]).toEqual([0, ""])
  expect(whole.lines().at(-1)).toMatch(new RegExp(`^#${last_seq} `))
  // Nothing of the agent stands at the very end.
  const one = await tail(past.handle, "--since", "1", "--until", new Date().toISOString(), "--json")
  expect(await once(one.child, "exit")).toEqual([0, null])
  expect(one.lines()).toHaveLength(4)
  await define("behind-the-point")
  const again = await tail("--since", "1", "--until", String(last_seq))
  await once(again.child, "exit")
  expect(again.lines()).toEqual(whole.lines())
})

test("ends when whoever reads it has gone", async () => {
  const one = await tail("--since", "1")
  one.child.stdout?.destroy()
  await define("unread")
  let made = 0
  const ended = once(one.child, "exit")
  const over = await waitFor(
    async () => {
      await define(`unread-${made++}`)
      return one.child.exitCode !== null
    },
    { describe: "the end of a tail that nobody reads" }
  )
  expect(over).toBe(true)
  expect(await ended).toEqual([0, null])
})
