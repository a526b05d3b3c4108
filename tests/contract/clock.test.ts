/**
 * The product takes its time from the clock that it is given (schemas/runtime/clock.ts): only then can a test move it.
 * The files that still name the machine's time are listed below, with how often they do. The list may only shrink.
 */
import { describe, expect, it } from "vitest"
import { textOf, trackedFiles } from "./tracked.ts"

const OURS = /^(actors|edge|schemas\/runtime)\/.*\.ts$/
/** The client and the fill service run elsewhere, and so do scripts of pages. */
const ELSEWHERE = /^edge\/(sdk|fill)\/|^edge\/html\/.*-script\.ts$/
/** The module that everything else gets its time from. */
const CLOCK = "schemas/runtime/clock.ts"

const NAMES =
  /\bDate\.now\b|\bperformance\.now\b|\bnew Date\(\)|(?<![.\w])setTimeout\b|(?<![.\w])setInterval\b|["']node:timers|\bmachineClock\b/g
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
const IMPORT = /^import\b[^"']*["'][^"']*clock\.ts["']$/gm

const EXCEPTIONS: Readonly<Record<string, number>> = {
  // Containers, kernels and their files go by the machine: a host looks at them until they are there or gone.
  "actors/runtime/host/engine-containers.ts": 8,
  "actors/runtime/host/exec.ts": 4,
  "actors/runtime/host/exits.ts": 2,
  "actors/runtime/host/given.ts": 10,
  "actors/runtime/host/host.ts": 1,
  "actors/runtime/host/journal.ts": 1,
  "actors/runtime/host/output.ts": 2,
  "actors/runtime/host/pump.ts": 3,
  "actors/runtime/host/ring.ts": 9,
  "actors/runtime/host/stats.ts": 4,
  "actors/runtime/network/probe-program.ts": 1,
  "actors/runtime/network/resolver.ts": 4,
  "actors/runtime/network/subnet.ts": 4,
  // The bus keeps the time to live of leases, and takes its own time to answer.
  "actors/engine/leases.ts": 1,
  "actors/log/gathered.ts": 3,
  "actors/log/requests.ts": 1,
  "actors/process/node.ts": 1,
  "edge/bus/service.ts": 2,
  // A process has a log and an end of its own, beside its node's.
  "edge/main.ts": 1,
  "schemas/runtime/log/log.ts": 1,
  "schemas/runtime/program.ts": 1,
  // Name servers, sockets and threads are given up by the machine's time, as Node's own timeouts are.
  "actors/mail/dns.ts": 2,
  "schemas/runtime/names.ts": 1,
  "actors/mail/parse/thread.ts": 2,
  "edge/http/send.ts": 1,
  // The cost of laying out a text is measured.
  "edge/kit/agent-markdown.ts": 1,
  // A collector puts spans beside those of other processes.
  "schemas/runtime/trace/span.ts": 5,
  // `setImmediate` alone, which waits for no time.
  "actors/content/searched.ts": 1,
  "edge/compartment/archive-headers.ts": 1,
  "edge/compartment/archive-links.ts": 1
}

const countIn = (source: string): number => source.replace(COMMENT, "").replace(IMPORT, "").match(NAMES)?.length ?? 0

describe("how the machine's time is found", () => {
  it.each([
    ["const now = Date.now()", 1],
    ["queue.map(Date.now)", 1],
    ["new Date().toISOString() + new Date(0)", 1],
    ["setTimeout(act, 1); clearTimeout(timer); socket.setTimeout(1)", 1],
    ['import { setTimeout as delay } from "node:timers/promises"', 2],
    ["// Date.now()\n/* performance.now() */\nclock.now()", 0],
    ['import { machineClock } from "../clock.ts"\nrun(machineClock)', 1]
  ])("%j", (source, count) => {
    expect(countIn(source)).toBe(count)
  })
})

it("is read nowhere but where it is listed", () => {
  const files = trackedFiles().filter((file) => OURS.test(file) && !ELSEWHERE.test(file) && file !== CLOCK)
  const found = files.map((file) => [file, countIn(textOf(file))] as const).filter(([, count]) => count > 0)
  expect(Object.fromEntries(found)).toEqual(EXCEPTIONS)
})

/** They run in processes of their own (vitest.config.ts). */
const ALONE = ["tests/sdk/verify-flood.test.ts", "tests/sdk/verify-runtimes.test.ts"]

it("is replaced for no process: other systems live beside a test, whose timers would never fire again", () => {
  const replaces = /useFakeTimers|setSystemTime|stubGlobal|mock\.timers|spyOn\((?:globalThis|process|Date|performance),/
  const tests = trackedFiles().filter((file) => file.startsWith("tests/") && file !== "tests/contract/clock.test.ts")
  expect(tests.filter((file) => replaces.test(textOf(file)))).toEqual(ALONE)
})
