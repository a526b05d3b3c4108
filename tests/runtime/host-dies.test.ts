/** What dies around a program, on a real engine: our own process, and the engine's daemon. */
import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { decode } from "../../actors/runtime/host/journal.ts"
import type { Line } from "../../actors/runtime/host/types.ts"
import { isRunning } from "../../ops/launcher/proc.ts"
import { factsOf } from "../../ops/runtime/engine-client.ts"
import { stopEngine } from "../../ops/runtime/engine.ts"
import { mountsBelow } from "../../ops/runtime/mounts.ts"
import { placesOf } from "../../ops/runtime/places.ts"
import { waitFor } from "../harness/index.ts"
import type { HostInput } from "./host-process.ts"
import { firstProcess, foundOf, linesOf, type Machine, nothing, orderOf, startMachine } from "./machine.ts"
import { type OwnEngine, ownEngine } from "./own-engine.ts"

let engine: OwnEngine
let machine: Machine

beforeAll(async () => {
  engine = await ownEngine()
  machine = await startMachine({ engine })
})

afterAll(async () => {
  try {
    // A test that failed may have left it dead.
    await engine?.start()
    await machine?.stop()
  } finally {
    await engine?.stop()
  }
})

const nameOf = (compartment = "cmp_1"): string => `hub-${machine.settings.tag}-${compartment}`
const text = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => lines.map(({ line }) => line)
const says = (line: string, compartment = "cmp_1") =>
  waitFor(async () => text(await linesOf(machine, compartment)).includes(line), { describe: `the line ${line}` })

describe("what dies", () => {
  const COUNT = "n=0; while :; do echo $((n++)); sleep 0.1; done"

  const startProcess = async (input: HostInput) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "host-process.ts")], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    child.stdin.end(JSON.stringify(input))
    const ended = new Promise<void>((resolve) => {
      child.once("exit", () => resolve())
    })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    await waitFor(() => output.includes("ready"), { describe: "a host in a process" })
    return {
      kill: async () => {
        child.kill("SIGKILL")
        await ended
      }
    }
  }

  const settings = () => {
    const { note: _, ...plain } = machine.settings
    return plain
  }

  const numbersFrom = async (id: number): Promise<ReadonlyArray<Line>> =>
    (await linesOf(machine)).filter((line) => line.id > id)

  /** `kills`: what was read and not kept yet when our process was killed may be lost, one chunk each time. */
  const expectNoGap = (lines: ReadonlyArray<Line>, kills = 0): void => {
    const numbers = text(lines).map(Number)
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
    const lost = (numbers.at(-1) ?? 0) + 1 - numbers.length
    expect(lost).toBeLessThanOrEqual(kills)
    expect(lines.map(({ id }) => id)).toEqual(lines.map((_, index) => (lines[0]?.id ?? 0) + index))
  }

  it("a killed host: the program goes on, with all its lines but what was just being read, and ids go on", async () => {
    const before = (await linesOf(machine)).at(-1)?.id ?? 0
    await machine.reopen()
    const order = orderOf(machine, COUNT)
    let child = await startProcess({ settings: settings(), order: { ...order, env: [] } })
    const pid = await firstProcess(machine, nameOf())
    for (let times = 0; times < 3; times++) {
      await waitFor(() => linesWritten() >= before + 5 * (times + 1), { describe: "more lines" })
      await child.kill()
      child = await startProcess({ settings: settings(), order: null })
    }
    await child.kill()
    const host = await machine.reopen()
    expect(await host.adopt("cmp_1")).toBe("running")
    const had = (await numbersFrom(before)).length
    await waitFor(async () => (await numbersFrom(before)).length > had + 5)
    expect(await firstProcess(machine, nameOf())).toBe(pid)
    await host.stop("cmp_1", 0)
    expectNoGap(await numbersFrom(before), 4)
  })

  /** Looks at the files alone: whoever opens a journal cuts off what is being written, and that is another process's. */
  const linesWritten = (): number => {
    const folder = join(machine.settings.folder, "compartments", "cmp_1", "log")
    const segments = existsSync(folder) ? readdirSync(folder) : []
    const records = segments.flatMap((name) => decode(readFileSync(join(folder, name))).records)
    const written = records.filter(({ kind }) => kind === "stdout")
    return written.reduce((sum, { bytes }) => sum + Buffer.from(bytes).toString().split("\n").length - 1, 0)
  }

  it("a host that is killed between a container's start and its program's: it is started by the next", async () => {
    const order = orderOf(machine, "echo given $TOKEN; exec sleep 1000", { env: new Map([["TOKEN", "later"]]) })
    const stopped = machine.host.start(
      { ...order, uploads: [{ id: "never", dest: "", file: "/nonexistent" }] },
      nothing
    )
    await expect(stopped).rejects.toThrow()
    expect(await foundOf(machine)).toMatchObject({ state: "running", run: order.run })
    const host = await machine.reopen()
    expect(await host.adopt("cmp_1")).toBe("awaiting")
    await host.start({ ...order, uploads: [] }, nothing)
    await says("given later")
    expect(await host.adopt("cmp_1")).toBe("running")
    await host.stop("cmp_1", 0)
  })

  it("a killed engine: the program and its output go on, and its end is told when the engine is back", async () => {
    const before = (await linesOf(machine)).at(-1)?.id ?? 0
    const order = orderOf(machine, COUNT)
    const told: Array<number> = []
    const off = machine.host.exits(({ run }) => told.push(run))
    await machine.host.start(order, nothing)
    const pid = await firstProcess(machine, nameOf())
    await engine.kill()
    await expect(machine.host.list()).rejects.toThrow("the container engine refused")
    expect(isRunning(pid)).toBe(true)
    const had = (await numbersFrom(before)).length
    await waitFor(async () => (await numbersFrom(before)).length > had + 5)
    await engine.start()
    expect(await foundOf(machine)).toMatchObject({ state: "running", run: order.run })
    expect(await firstProcess(machine, nameOf())).toBe(pid)
    await waitFor(async () => {
      if (told.includes(order.run)) return true
      await machine.host.stop("cmp_1", 0)
      return foundOf(machine)
    })
    off()
    expect(await foundOf(machine)).toMatchObject({ state: "exited" })
    expectNoGap(await numbersFrom(before))
  })

  it("a killed engine is not taken down while a program runs in it, and takes that along when it is told to", async () => {
    await machine.host.start(orderOf(machine, "exec sleep 1000"), nothing)
    const pid = await firstProcess(machine, nameOf())
    await engine.kill()
    await waitFor(async () => (await factsOf(engine.socket)) === null, { describe: "the engine's death" })
    expect(await stopEngine(engine.dataDir)).toEqual({
      ended: false,
      running: [expect.stringMatching(/^a container \(process \d+\)$/)]
    })
    expect(isRunning(pid)).toBe(true)
    expect(await stopEngine(engine.dataDir, "kill")).toEqual({ ended: true, running: [] })
    expect(isRunning(pid)).toBe(false)
    expect(await mountsBelow(placesOf(engine.dataDir).run)).toEqual([])
  })
})
