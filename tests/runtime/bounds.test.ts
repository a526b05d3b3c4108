/** The bounds of a compartment, measured: what a program gets that wants all of it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { groupsOf, missingBounds } from "../../actors/runtime/host/cgroup.ts"
import { BURST_BYTES, RATE_BYTES_PER_SECOND } from "../../actors/runtime/host/pump.ts"
import { waitFor } from "../harness/index.ts"
import { foundOf, linesOf, type Machine, nothing, orderOf, QUOTAS, runToEnd, startMachine } from "./machine.ts"

const MIB = 1024 * 1024

let machine: Machine

beforeAll(async () => {
  machine = await startMachine()
})

afterAll(async () => {
  await machine?.stop()
})

describe("a compartment", () => {
  it("has its memory, and no more", async () => {
    const take = (mib: number) => `python3 -c 'x = b"x" * (${mib} << 20); print("had")' || echo "refused $?"`
    expect((await runToEnd(machine, take(128))).stdout).toEqual(["had"])
    expect((await runToEnd(machine, take(224))).stdout).toEqual(["refused 137"])
  })

  it("has its processes, and no more; it can be stopped all the same", async () => {
    const bomb = `python3 -c '
import os, time
n = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(1000)
        n += 1
except OSError as e:
    print(n, e.errno, flush=True)
    while True:
        try:
            os.fork()
        except OSError:
            pass
'`
    await machine.host.start(orderOf(machine, bomb), nothing)
    const line = await waitFor(async () => (await linesOf(machine)).findLast(({ line }) => line.endsWith(" 11")))
    expect(Number.parseInt(line.line, 10)).toBeGreaterThan(QUOTAS.pids - 16)
    expect(Number.parseInt(line.line, 10)).toBeLessThan(QUOTAS.pids)
    expect((await machine.host.stats("cmp_1"))?.pids).toBeLessThanOrEqual(QUOTAS.pids)
    await machine.host.stop("cmp_1", 1000)
    expect(await foundOf(machine)).toMatchObject({ state: "exited" })
  })

  /** The kernel's own share of time is not measured here: that would measure the machine. */
  it("has half a core by the kernel's own bound, and its use is measured", async () => {
    await machine.host.start(orderOf(machine, "while :; do :; done"), nothing)
    const [id = "", pid] = (
      await machine.docker("inspect", "--format", "{{.Id}} {{.State.Pid}}", `hub-${machine.settings.tag}-cmp_1`)
    ).split(" ")
    const groups = (await groupsOf(Number(pid), id)) ?? expect.fail("it does not run")
    expect(await missingBounds(groups, QUOTAS)).toEqual([])
    expect(await missingBounds(groups, { ...QUOTAS, cpus: QUOTAS.cpus / 2 })).toEqual(["cpu"])
    const measured = await waitFor(async () => {
      const seen = await machine.host.stats("cmp_1")
      return (seen?.cpu_percent ?? 0) > 0 ? seen : null
    })
    expect(measured.memory_mb).toBeGreaterThan(0)
    await machine.host.stop("cmp_1", 0)
  })

  it("has its temporary space, and no more, and can write nowhere else", async () => {
    const { stdout } = await runToEnd(
      machine,
      `head -c 40M /dev/zero > /tmp/file; stat -c %s /tmp/file
       for place in / /etc /usr/bin /run /run/hub /var/tmp /var/lib; do (echo > $place/file) 2> /dev/null && echo "$place"; done
       : > /run/hub/entry 2> /dev/null && echo entry; echo end`
    )
    expect(stdout).toEqual([String(QUOTAS.tmp_mb * MIB), "end"])
  })

  it("has its disk and a little more, by bytes and by files", async () => {
    const { host } = machine
    const other = { compartment: "cmp_small" }
    const full = await runToEnd(machine, "head -c 1G /dev/zero > /data/work/file; stat -c %s /data/work/file", other)
    const bytes = Number(full.stdout[0])
    expect(bytes).toBeGreaterThan(QUOTAS.disk_mb * 1.25 * MIB)
    expect(bytes).toBeLessThan(128 * MIB)
    const { used_mb } = await host.disk("cmp_small")
    expect(used_mb).toBeGreaterThan(QUOTAS.disk_mb * 1.25)
    expect(Math.abs(used_mb - bytes / MIB)).toBeLessThan(2)
    const files = `python3 -c '
import os
os.remove("/data/work/file")
n = 0
try:
    while n < 1000000:
        open("/data/work/%d" % n, "w").close()
        n += 1
except OSError as e:
    print(n, e.errno)
'`
    const { stdout } = await runToEnd(machine, files, other)
    expect(stdout[0]).toMatch(/^\d+ 28$/)
    expect(Number.parseInt(stdout[0] ?? "", 10)).toBeLessThan(20_000)
    await host.destroy("cmp_small")
    expect(await host.disk("cmp_small")).toEqual({ used_mb: 0 })
  })
})

describe("output", () => {
  it("of a burst is read whole", async () => {
    const before = (await linesOf(machine)).at(-1)?.id ?? 0
    await runToEnd(machine, "seq 1 20000")
    const lines = await linesOf(machine)
    expect(lines.at(-1)?.id).toBe(before + 20_000)
    expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: 1000 }, (_, at) => String(19_001 + at)))
  })

  it("of a flood slows the program that floods", async () => {
    const before = (await linesOf(machine)).at(-1)?.id ?? 0
    const began = Date.now()
    await machine.host.start(orderOf(machine, "yes | head -c 5M; echo last; exec sleep 1000"), nothing)
    await waitFor(async () => (await linesOf(machine)).at(-1)?.line === "last", { describe: "the end of the flood" })
    const seconds = (Date.now() - began) / 1000
    const last = (await linesOf(machine)).at(-1)?.id ?? 0
    const bytes = 2 * (last - before)
    expect(bytes).toBeGreaterThan(5 * MIB)
    expect(bytes).toBeLessThan(BURST_BYTES + RATE_BYTES_PER_SECOND * (seconds + 2))
    expect((await linesOf(machine)).slice(0, -1).every(({ line }) => line === "y")).toBe(true)
    await machine.host.stop("cmp_1", 0)
  })
})
