/** The pages for readers say what is there: links, paths, versions, names and figures are held against the project. */
import { posix } from "node:path"
import { describe, expect, it } from "vitest"
import { BEAT_MS, DROP_AFTER_MS, SERVE_WITHIN_MS, SILENT_AFTER_MS } from "../../actors/engine/placement.ts"
import { SESSION_TTL_SECONDS } from "../../actors/log/streams.ts"
import packageJson from "../../package.json" with { type: "json" }
import { RETRY_AFTER_MS } from "../../schemas/runtime/bus/asker.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { SHARD_COUNT } from "../../schemas/subjects.ts"
import {
  BATCH_MAX,
  PAUSE_MAX_MS,
  PAUSE_MIN_MS,
  POST_TIMEOUT_MS,
  QUEUE_MAX,
  STOP_WITHIN_MS
} from "../../schemas/runtime/trace/exporter.ts"
import { textOf, trackedFiles } from "./tracked.ts"

const files = trackedFiles()
const folders = new Set(
  files.flatMap((file) => file.split("/").map((_, index, parts) => parts.slice(0, index).join("/")))
)
const pages = files.filter((file) => /^(?:[A-Z]+|ops\/docs\/.+)\.md$/.test(file))
const there = (path: string): boolean => files.includes(path) || folders.has(path.replace(/\/$/, ""))

const README = textOf("README.md")
const DEPENDENCIES = textOf("ops/docs/dependencies.md")
const CLUSTER = textOf("ops/docs/run-a-cluster.md")

describe.each(pages)("%s", (page) => {
  const text = textOf(page)

  it("links only to what is there", () => {
    const targets = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)]
      .map(([, target]) => target ?? "")
      .filter((target) => !/^https?:/.test(target))
    expect(targets.filter((target) => !there(posix.join(posix.dirname(page), target)))).toEqual([])
  })

  it("names only files and folders that are there", () => {
    const named = [...text.matchAll(/`((?:schemas|edge|actors|ops|tests)\/[\w./-]*)`/g)].map(([, path]) => path ?? "")
    expect(named.filter((path) => !there(path))).toEqual([])
  })

  it("shows only commands that there are", () => {
    const scripts = [...text.matchAll(/\bnpm run (?:-s )?([a-z]+)/g)].map(([, name]) => name ?? "")
    expect(scripts.filter((name) => !Object.hasOwn(packageJson.scripts, name))).toEqual([])
  })
})

describe("dependencies.md", () => {
  const rows = new Map(
    [...DEPENDENCIES.matchAll(/^\| `([^`]+)` \| (\d[^ ]*) \| (.+) \|$/gm)].map(([, name, version]) => [name, version])
  )

  it("gives every package, with its version and a reason", () => {
    const declared = {
      ...packageJson.dependencies,
      ...packageJson.optionalDependencies,
      ...packageJson.devDependencies
    }
    expect(Object.fromEntries(rows)).toEqual(declared)
  })

  it("separates packages that serve from those for development", () => {
    const forDevelopment = DEPENDENCIES.slice(DEPENDENCIES.indexOf("\n## For development"))
    for (const name of Object.keys(packageJson.devDependencies))
      expect(forDevelopment, name).toContain(`| \`${name}\` |`)
    for (const name of Object.keys(packageJson.dependencies))
      expect(forDevelopment, name).not.toContain(`| \`${name}\` |`)
  })
})

describe("README.md", () => {
  it("is short", () => {
    expect(README.split(/\s+/).length).toBeLessThanOrEqual(1600)
  })

  it("maps every folder that holds sources", () => {
    const tops = new Set(
      files.filter((file) => /\.(ts|mjs)$/.test(file) && file.includes("/")).map((file) => file.split("/")[0])
    )
    for (const top of tops) expect(README).toContain(`| \`${top}/\` |`)
  })
})

describe("run-a-cluster.md", () => {
  it("tells every name that is read from the environment, and no other", () => {
    const readers = files.filter(
      (file) =>
        [
          "schemas/config.ts",
          "schemas/mail/settings.ts",
          "schemas/archive/settings.ts",
          "schemas/compartment/settings.ts",
          "schemas/console/settings.ts",
          "actors/process/server-key.ts",
          "edge/fill/options.ts",
          "ops/cli/connection.ts"
        ].includes(file) || /^ops\/launcher\/[^/]+\.(ts|mjs)$/.test(file)
    )
    const read = new Set(
      readers
        .flatMap((file) => textOf(file).match(/\bHUB_[A-Z0-9_]+\b/g) ?? [])
        .filter((name) => !name.startsWith("HUB_TEST_"))
    )
    const told = [...CLUSTER.matchAll(/^\| (`HUB_[^|]+) \|/gm)].flatMap(
      ([, cell]) => cell?.match(/HUB_[A-Z0-9_]+/g) ?? []
    )
    expect(told.toSorted()).toEqual([...read].toSorted())
  })

  it("tells every name of OpenTelemetry's that is read, and no other", () => {
    const read = new Set(textOf("schemas/trace-settings.ts").match(/\bOTEL_[A-Z_]+\b/g))
    const told = [...CLUSTER.matchAll(/^\| `(OTEL_[A-Z_]+)` \|/gm)].map(([, name]) => name)
    expect(told.toSorted()).toEqual([...read].toSorted())
  })

  it("tells the bounds of traces as they are", () => {
    const flat = CLUSTER.replace(/\s+/g, " ")
    for (const piece of [
      `the newest ${QUEUE_MAX.toLocaleString("en")} spans`,
      `one batch of ${BATCH_MAX} under way for ${POST_TIMEOUT_MS / 1000} s`,
      `again after ${PAUSE_MIN_MS / 1000} s and ever later, ${PAUSE_MAX_MS / 1000} s at most`,
      `for ${STOP_WITHIN_MS / 1000} s at most`
    ])
      expect(flat).toContain(piece)
  })

  it("tells the figures of leases and retries as they are", () => {
    for (const row of [
      `| a session beats | every ${BEAT_MS} ms |`,
      `beat was sent within | ${SERVE_WITHIN_MS} ms |`,
      `heard no pong for | ${SILENT_AFTER_MS} ms`,
      `without a confirmed beat for | ${DROP_AFTER_MS / 1000} s |`,
      `expires without a beat after | ${SESSION_TTL_SECONDS} s |`,
      `under the same id, after | ${RETRY_AFTER_MS} ms`,
      `whatever happens, after | ${LIMITS.service.request_deadline_ms / 1000} s`,
      `share ${SHARD_COUNT} shards`,
      `read models ${LIMITS.service.projected_wait_ms} ms at most`
    ])
      expect(CLUSTER).toContain(row)
    expect(SERVE_WITHIN_MS).toBeLessThan(SILENT_AFTER_MS)
    expect(DROP_AFTER_MS).toBeLessThan(SESSION_TTL_SECONDS * 1000)
  })

  it("tells every service of docker-compose.yml, and no other", () => {
    const services =
      textOf("docker-compose.yml")
        .split(/^services:$/m)[1]
        ?.split(/^networks:$/m)[0] ?? ""
    const named = [...services.matchAll(/^  ([\w-]+):$/gm)].map(([, name]) => name)
    const table = /\| Service \|[\s\S]*?\n\n/.exec(CLUSTER)?.[0] ?? ""
    const told = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) => cell?.match(/[\w-]+/g) ?? [])
    expect(named.length).toBeGreaterThan(8)
    expect(told.toSorted()).toEqual(named.toSorted())
  })

  it("has every variable of docker-compose.yml drawn by secrets.sh, told, or given a default", () => {
    const compose = textOf("docker-compose.yml")
    const asked = new Set(
      [...compose.matchAll(/\$\{(\w+)(:[-+])?/g)].flatMap(([, name, optional]) =>
        optional === undefined ? [name ?? ""] : []
      )
    )
    const drawn = new Set([
      ...(/for name in ([^;]+);/.exec(textOf("ops/deploy/secrets.sh"))?.[1] ?? "")
        .split(" ")
        .map((name) => `HUB_${name}_PASSWORD`),
      ...[...textOf("ops/deploy/secrets.sh").matchAll(/echo "(HUB_\w+)=\$/g)].map(([, name]) => name ?? "")
    ])
    expect([...asked].filter((name) => !drawn.has(name))).toEqual([])
    expect([...drawn].filter((name) => !asked.has(name))).toEqual([])
  })
})

describe("decisions", () => {
  const decisions = pages.filter((page) => page.startsWith("ops/docs/decisions/")).toSorted()

  it("are numbered without a gap", () => {
    expect(decisions.length).toBeGreaterThan(10)
    expect(decisions.map((page) => Number(posix.basename(page).slice(0, 4)))).toEqual(
      decisions.map((_, index) => index + 1)
    )
  })

  it.each(decisions)("%s says context, decision and consequence, shortly", (page) => {
    const text = textOf(page)
    const [title, ...lines] = text.trimEnd().split("\n")
    expect(posix.basename(page)).toMatch(/^\d{4}(-[a-z]+)+\.md$/)
    expect(title).toMatch(new RegExp(`^# ${posix.basename(page).slice(0, 4)} [A-Z\`]`))
    expect(text.match(/^\*\*\w+\.\*\*/gm)).toEqual(["**Context.**", "**Decision.**", "**Consequence.**"])
    expect(lines.filter((line) => line !== "").length).toBeLessThanOrEqual(12)
  })
})
