/** The host of compartments, on a real engine: what a program gets, how it ends, and what dies around it. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { FoundContainer, Line } from "../../actors/runtime/host/types.ts"
import { needlesOf } from "../support/canary.ts"
import { waitFor } from "../harness/index.ts"
import { isRunning } from "../../ops/launcher/proc.ts"
import { firstProcess, foundOf, linesOf, type Machine, nothing, orderOf, runToEnd, startMachine } from "./machine.ts"

let machine: Machine

beforeAll(async () => {
  machine = await startMachine()
})

afterAll(async () => {
  await machine?.stop()
})

const nameOf = (compartment = "cmp_1"): string => `hub-${machine.settings.tag}-${compartment}`
const text = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => lines.map(({ line }) => line)
const says = (line: string, compartment = "cmp_1") =>
  waitFor(async () => text(await linesOf(machine, compartment)).includes(line), { describe: `the line ${line}` })

describe("a program", () => {
  it("runs as the compartment's user under a login shell in /data/work, with what it is given", async () => {
    const env = new Map([
      ["HUB_ID", "HX-000001"],
      ["MANY", "two\nlines, 'quotes' and $(echo signs)"],
      ["EMPTY", ""]
    ])
    const command = `id -u; pwd; shopt -q login_shell && echo login; printf '%s|' "$HUB_ID" "$MANY" "\${EMPTY-none}"; echo; cat; echo "$HOME"; getent hosts hub.internal`
    const { stdout } = await runToEnd(machine, command, { env, extraHosts: ["hub.internal:10.1.2.3"] })
    expect(stdout.join("\n")).toBe(
      `1000\n/data/work\nlogin\nHX-000001|two\nlines, 'quotes' and $(echo signs)||\n/data\n10.1.2.3        hub.internal`
    )
  })

  it("has all of what it is given, however much", async () => {
    const env = new Map(Array.from({ length: 50 }, (_, at) => [`S_${at}`, String(at % 10).repeat(32_768)]))
    const { stdout } = await runToEnd(
      machine,
      'env | grep -c "^S_"; echo "${#S_49}"; cat /proc/1/environ | wc -c; ls -A /tmp',
      {
        env
      }
    )
    expect(stdout.slice(0, 2)).toEqual(["50", "32768"])
    expect(Number(stdout[2])).toBeLessThan(1000)
    expect(stdout).toHaveLength(3)
  })

  it("finds no more of the way by which it was given that", async () => {
    const { stdout } = await runToEnd(
      machine,
      "for i in $(seq 600); do [ -e /run/hub/env ] || break; sleep 0.1; done; ls /run/hub; exec 9<>/run/hub/env && echo open",
      {}
    )
    expect(stdout).not.toContain("env")
    expect(stdout).not.toContain("open")
  })

  it.each([
    ["exit 0", 0],
    ["exit 7", 7],
    ["kill -KILL $$", 137],
    ["kill -SEGV $$", 139],
    ["no-such-program", 127]
  ])("that ends by %s has the status %i", async (command, code) => {
    const { found } = await runToEnd(machine, command)
    expect(found).toMatchObject({ state: "exited", exitCode: code, oomKilled: false, slot: 0 })
    expect(found.finishedAt ?? 0).toBeGreaterThanOrEqual(found.startedAt ?? Infinity)
  })

  it("finds what it has stored in the next run, and nothing of what it left elsewhere", async () => {
    await runToEnd(machine, "echo kept > /data/work/file; echo gone > /tmp/file; echo gone > /dev/shm/file")
    const { stdout } = await runToEnd(machine, "cat /data/work/file; cat /tmp/file /dev/shm/file || echo none")
    expect(stdout).toEqual(["kept", "none"])
  })

  it("takes what it leaves behind with it, and nobody has to reap it while it runs", async () => {
    const { stdout } = await runToEnd(
      machine,
      "for i in $(seq 50); do (true & ) ; done; while ps -e | grep -q defunct; do sleep 0.1; done; (setsid sleep 1000 &); echo end"
    )
    expect(stdout).toEqual(["end"])
    expect(await machine.docker("ps", "-q", "--filter", `name=${nameOf()}`)).toBe("")
  })

  it("has its last lines in its log when its end is told, also the one that it has not ended", async () => {
    const order = orderOf(machine, "seq 1 5000; echo wrong >&2; printf last")
    const told = Promise.withResolvers<FoundContainer>()
    const off = machine.host.exits((found) => {
      if (found.run === order.run) told.resolve(found)
    })
    await machine.host.start(order, nothing)
    expect(await told.promise).toMatchObject({ run: order.run, exitCode: 0 })
    const lines = await linesOf(machine)
    off()
    machine.host.say("cmp_1", "The program ended.")
    expect(text(lines.filter(({ stream }) => stream === "stdout")).slice(-2)).toEqual(["5000", "last"])
    expect(text(lines)).toContain("wrong")
    await waitFor(async () => (await linesOf(machine)).at(-1)?.line === "The program ended.")
  })

  it("that takes too much memory is killed, and that is told", async () => {
    const { found } = await runToEnd(machine, `python3 -c 'x = bytearray(1 << 29)'`)
    expect(found).toMatchObject({ exitCode: 137, oomKilled: true })
  })
})

describe("secrets", () => {
  it("are in no answer of the engine, no argument of a process and no file of the host", async () => {
    const canary = "c4nary-6f1e0b77d2a94c58"
    const order = orderOf(machine, "echo up; exec sleep 1000", { env: new Map([["TOKEN", canary]]) })
    await machine.host.start(order, nothing)
    await says("up")
    const pid = await firstProcess(machine, nameOf())
    const inspected = await machine.docker("inspect", nameOf())
    const argumentsOf = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => readIfThere(`/proc/${name}/cmdline`))
    const files = filesIn(machine.settings.folder)
    expect(files.some((file) => file.endsWith("data.img"))).toBe(true)
    const data = (await machine.docker("info", "--format", "{{.DockerRootDir}}")).trim()
    const engines = filesIn(join(data, "containers"))
    expect(engines.some((file) => file.endsWith("config.v2.json"))).toBe(true)
    const seen = [Buffer.from(inspected), readIfThere(`/proc/${pid}/environ`), ...argumentsOf]
    const found = (bytes: Buffer): ReadonlyArray<string> =>
      needlesOf("token", canary).flatMap((needle) => (bytes.includes(needle.bytes) ? [needle.form] : []))
    expect(found(Buffer.concat(seen))).toEqual([])
    for (const file of [...files, ...engines]) expect([file, found(readIfThere(file))]).toEqual([file, []])
    // Where it is, it is found: in the environment of the program itself.
    const programs = (await machine.docker("top", nameOf(), "-o", "pid")).match(/\d+/g) ?? []
    expect(programs.some((one) => found(readIfThere(`/proc/${one}/environ`)).length > 0)).toBe(true)
    await machine.host.stop("cmp_1", 0)
  })
})

describe("a stop", () => {
  it("lets a program end itself, with all its processes", async () => {
    // What else runs ends with the program, which therefore waits for its child.
    const command = `trap 'wait $child; echo bye; exit 5' TERM; (trap 'echo child; exit' TERM; echo ready; sleep 1000 & wait) & child=$!; sleep 1000 & wait`
    await machine.host.start(orderOf(machine, command), nothing)
    await says("ready")
    await machine.host.stop("cmp_1", 120_000)
    expect(await foundOf(machine)).toMatchObject({ state: "exited", exitCode: 5 })
    expect(text(await linesOf(machine))).toEqual(expect.arrayContaining(["bye", "child"]))
  })

  it("kills a program that does not listen", async () => {
    const command = `trap '' TERM; echo deaf; while :; do sleep 1; done`
    await machine.host.start(orderOf(machine, command), nothing)
    await says("deaf")
    const pid = await firstProcess(machine, nameOf())
    await machine.host.stop("cmp_1", 500)
    expect(isRunning(pid)).toBe(false)
    expect(await foundOf(machine)).toMatchObject({ state: "exited", exitCode: 137, oomKilled: false })
    await machine.host.stop("cmp_1", 0)
  })
})

describe("a start", () => {
  it("may be repeated: the program starts once", async () => {
    const order = orderOf(machine, "echo once; exec sleep 1000")
    await Promise.all([machine.host.start(order, nothing), machine.host.start(order, nothing)])
    await says("once")
    await machine.host.start(order, nothing)
    await machine.host.stop("cmp_1", 0)
    await machine.host.start(order, nothing)
    expect(await foundOf(machine)).toMatchObject({ state: "exited" })
    const { id = 0 } = (await linesOf(machine)).at(-1) ?? {}
    expect(text(await linesOf(machine)).filter((line) => line === "once")).toHaveLength(1)
    const { stdout } = await runToEnd(machine, "echo next")
    expect(stdout).toEqual(["next"])
    expect((await linesOf(machine)).at(-1)?.id).toBe(id + 1)
  })

  it("goes on from a container that was made and not started, that ended before its program, that is of an older run", async () => {
    await machine.host.remove("cmp_1")
    const order = orderOf(machine, "echo here; exec sleep 1000")
    await machine.host.start(order, nothing)
    await says("here")
    const made = JSON.parse(await machine.docker("inspect", nameOf())) as [{ Config: { Labels: object } }]
    const older = { ...order, run: order.run - 1 }
    await expect(machine.host.start(older, nothing)).rejects.toThrow("a newer run of the compartment is there")
    await remake(made[0].Config.Labels, "create")
    await machine.host.start({ ...order, run: order.run + 100 }, nothing)
    expect(await foundOf(machine)).toMatchObject({ state: "running", run: order.run + 100 })
    const half = { ...order, run: order.run + 101 }
    await remake({ ...made[0].Config.Labels, "hub.run": String(half.run) }, "run")
    expect(await foundOf(machine)).toMatchObject({ state: "exited", run: half.run })
    await machine.host.start(half, nothing)
    expect(await foundOf(machine)).toMatchObject({ state: "running", run: half.run })
    await machine.host.stop("cmp_1", 0)
  })

  /** A container with those labels, of another program, in the place of the one that is there. */
  async function remake(labels: object, how: "create" | "run"): Promise<void> {
    await machine.docker("rm", "-f", nameOf())
    const told = Object.entries(labels).flatMap(([name, value]) => ["--label", `${name}=${String(value)}`])
    const background = how === "run" ? ["--network", "none"] : []
    await machine.docker(how, ...background, ...told, "--name", nameOf(), machine.settings.image, "/bin/true")
  }
})

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

function filesIn(folder: string): ReadonlyArray<string> {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
