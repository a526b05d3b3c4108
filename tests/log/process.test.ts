/** What really comes out of a process's standard error, and what becomes of the process when nobody takes it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { LINE_MAX_CHARS } from "../../schemas/runtime/log/line.ts"
import { SAME_MAX_PER_SECOND } from "../../schemas/runtime/log/repeats.ts"
import { WAITING_MAX } from "../../schemas/runtime/log/sink.ts"
import { waitFor } from "../harness/index.ts"

type Line = Readonly<Record<string, unknown>>

class Logging {
  readonly child: ChildProcess
  private text = ""

  constructor() {
    this.child = spawn(process.execPath, ["--no-warnings", join(import.meta.dirname, "child.ts")], {
      stdio: ["ignore", "ignore", "pipe", "ipc"]
    })
  }

  /** Reads from now on. */
  read(): this {
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.text += text))
    return this
  }

  /** Characters that wait in the process afterwards. */
  async act(act: string, times = 1): Promise<number> {
    const answered = once(this.child, "message") as Promise<[{ waiting: number }]>
    this.child.send({ act, times })
    return (await answered)[0].waiting
  }

  get raw(): ReadonlyArray<string> {
    return this.text.split("\n").slice(0, -1)
  }

  get lines(): ReadonlyArray<Line> {
    return this.raw.map((line) => JSON.parse(line) as Line)
  }

  linesOf(count: number): Promise<ReadonlyArray<Line>> {
    return waitFor(() => (this.lines.length >= count ? this.lines : undefined), { describe: `${count} lines` })
  }
}

let logging: Logging
beforeEach(() => {
  logging = new Logging()
})
afterEach(async () => {
  const { child } = logging
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
})

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"]

describe("a line", () => {
  it.each(["levels", "callbacks"])("of each level is one JSON object, from %s", async (act) => {
    await logging.read().act(act)
    const lines = await logging.linesOf(LEVELS.length)
    expect(lines.map(({ level }) => level)).toEqual(LEVELS)
    for (const { time, level, at, error, stack } of lines) {
      expect([new Date(String(time)).toISOString(), at, error]).toEqual([time, act, "TypeError: wrong"])
      expect(typeof stack, String(level)).toBe(level === "error" || level === "fatal" ? "string" : "undefined")
    }
  })

  it("of an Effect has its annotations, its message and its cause", async () => {
    await logging.read().act("levels")
    expect((await logging.linesOf(1))[0]).toMatchObject({
      at: "levels",
      message: "in Trace",
      shard: 3,
      trace_id: "0af7651916cd43dd8448eb211c80319c"
    })
    await logging.act("cause")
    const lines = await logging.linesOf(LEVELS.length + 1)
    expect(lines.at(-1)).toMatchObject({ level: "error", at: "cause", message: "it failed", error: "refused" })
  })

  it("stays one line within its bound, whatever stands in it", async () => {
    await logging.read().act("hostile")
    const lines = await logging.linesOf(6)
    expect(lines.map(({ level, at }) => `${String(level)} ${String(at)}`)).toEqual([
      "warn hostile",
      "error hostile",
      "error hostile",
      ...Array<string>(3).fill("warn hostile")
    ])
    expect(lines[0]).toMatchObject({ throwing: "(cannot be printed)", circular: "(cannot be printed)", number: "12" })
    expect(lines[0]?.["text"]).toContain('{"level":"forged"}')
    expect(lines[1]?.["error"]).toBe("(cannot be printed)")
    expect(lines[3]?.["cut"]).toBe(true)
    for (const line of logging.raw) {
      expect(line.length).toBeLessThan(LINE_MAX_CHARS)
      expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202e]/u)
    }
  })

  it("shows no secret", async () => {
    await logging.read().act("secrets")
    const [line] = await logging.linesOf(1)
    expect(JSON.stringify(line)).not.toContain("hunter2")
    expect(line).toMatchObject({ password: "***", settings: { HUB_PORT: "8080", seed: "***" } })
  })

  it("of the same place and level comes so often a second, then how many more there were", async () => {
    await logging.read().act("repeat", 500)
    const lines = await logging.linesOf(SAME_MAX_PER_SECOND + 1)
    const written = lines.filter(({ error }) => error !== undefined).length
    const suppressed = lines.reduce((sum, line) => sum + Number(line["suppressed"] ?? 0), 0)
    expect([written % SAME_MAX_PER_SECOND, written + suppressed]).toEqual([0, 500])
    await logging.act("callbacks")
    expect(await logging.linesOf(lines.length + LEVELS.length)).toHaveLength(lines.length + LEVELS.length)
  })

  it.each([
    ["throw", "SyntaxError"],
    ["reject", "RangeError: nobody listens"]
  ])("tells of what nobody caught before the process ends with status 1: %s", async (act, error) => {
    const { child } = logging.read()
    const closed = once(child, "close")
    child.send({ act, times: 1 })
    expect((await closed)[0]).toBe(1)
    expect(logging.lines).toEqual([
      expect.objectContaining({ level: "fatal", at: "process", error: expect.stringContaining(error) as string })
    ])
  })
})

describe("a process whose log nobody reads", () => {
  /** Together ten times what may wait. */
  const TIMES = Math.ceil((10 * WAITING_MAX) / 2000)

  it("goes on, keeps a bounded part of it, and says later how much was lost", async () => {
    const waiting = await logging.act("fill", TIMES)
    expect(waiting).toBeGreaterThan(WAITING_MAX / 2)
    expect(waiting).toBeLessThan(WAITING_MAX + LINE_MAX_CHARS)
    logging.read()
    await waitFor(async () => (await logging.act("cause")) === 0, { describe: "all that waits to be read" })
    const lost = await waitFor(() => logging.lines.find((line) => line["lost"] !== undefined))
    const read = logging.lines.filter(({ at }) => at === "fill").length
    expect(lost).toMatchObject({ level: "warn", at: "log", stream: "stderr" })
    expect(read + Number(lost["lost"])).toBeGreaterThanOrEqual(TIMES)
  })

  it("goes on when its reader has gone", async () => {
    await logging.read().act("cause")
    await logging.linesOf(1)
    logging.child.stderr?.destroy()
    for (let time = 0; time < 2; time++) expect(await logging.act("fill", TIMES)).toBeLessThan(WAITING_MAX * 2)
    logging.child.disconnect()
    expect((await once(logging.child, "exit"))[0]).toBe(0)
  })
})
