/** A website's process that reads a directory again and again, and tells by how much it grew. */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { projectRoot } from "../../ops/launcher/paths.ts"

/** The file as websites get it. */
const { createVerifier } = (await import(
  pathToFileURL(join(projectRoot, "edge/sdk/verify.bundle.js")).href
)) as typeof import("../../edge/sdk/verify.ts")

const hub = process.argv[2] ?? ""
const READS = 4
const SAMPLE_EVERY_MS = 5
/** What it takes in memory is asked, not how long a slow machine is at it. */
const PATIENT_MS = 600_000

const rss = (): number => process.memoryUsage.rss()

// What fetch itself takes, once for a process, is not the verifier's.
await (await fetch(`${hub}/small`)).text()
globalThis.gc?.()
const before = rss()
let peak = before
const sampling = setInterval(() => (peak = Math.max(peak, rss())), SAMPLE_EVERY_MS)

let now = Date.now()
const verifier = createVerifier({
  hub,
  hosts: ["shop.example"],
  now: () => now,
  clock: "own",
  waitMs: PATIENT_MS,
  fetchTimeoutMs: PATIENT_MS
})
const loads: Array<number> = []
for (let read = 0; read < READS; read++) {
  const began = performance.now()
  if (!(await verifier.ready())) throw new Error("the directory could not be read")
  loads.push(performance.now() - began)
  now += 301_000
}
clearInterval(sampling)
const last = rss()
globalThis.gc?.()
console.log(JSON.stringify({ agents: verifier.state().agents, peak: peak - before, last: last - before, loads }))
