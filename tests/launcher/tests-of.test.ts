/** `npm test -- <source file>` runs the tests of that file. */
import { globSync } from "node:fs"
import { dirname } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { test } from "../../ops/launcher/test.ts"
import { byFolder, isBenchmark, isSource, testsFinder } from "../../ops/launcher/tests-of.ts"

const testsOf = testsFinder()

describe("the tests of a source file", () => {
  it("are those that import it", () => {
    expect(testsOf("actors/vault/policy.ts")).toContain("tests/actors/vault/policy.test.ts")
    expect(testsOf("edge/notification/waking.ts")).toEqual(["tests/edge/notification/parts.test.ts"])
  })

  it("are those of the files that import it, or of its folder, where no test does", () => {
    expect(testsOf("edge/http/form.ts")).toContain("tests/html/form.test.ts")
    expect(testsOf("actors/thread/noun.ts")).toEqual(["tests/api/thread.test.ts"])
  })

  it("have its name and a folder of its path, where no test imports it", () => {
    expect(testsOf("actors/agent/identity/rotation.ts")).toContain("tests/api/identity/rotation.test.ts")
    expect(testsOf("actors/agent/block/state.ts")).toEqual(
      expect.arrayContaining(["tests/actors/agent/block/decide.test.ts", "tests/api/block.test.ts"])
    )
  })

  it("have a text of it that few tests have: the name of a metric, the words of a command", () => {
    expect(testsOf("actors/process/metrics/pruner.ts")).toEqual(["tests/api/kept.test.ts"])
    expect(testsOf("ops/cli/mail-domain.ts")).toContain("tests/api/mail-domains.test.ts")
  })

  it("are found for every file", () => {
    const sources = globSync("{actors,edge,schemas,ops}/**/*.ts", { cwd: projectRoot })
    expect(sources.length).toBeGreaterThan(1000)
    const without = sources.filter((source) => !isSource(source) || testsOf(source).length === 0)
    expect(without.filter((source) => !isBenchmark(source))).toEqual([])
    expect(testsOf("ops/bench/main.ts")).toEqual([])
  })

  it("have a rule in every folder, for files that no test imports", () => {
    const sources = globSync("{actors,edge,schemas,ops}/**/*.{ts,mjs}", { cwd: projectRoot })
    const folders = new Set(sources.map((source) => dirname(source)))
    expect(folders.size).toBeGreaterThan(100)
    const without = [...folders].filter((folder) => byFolder(`${folder}/new.ts`).length === 0)
    expect(without.filter((folder) => !isBenchmark(`${folder}/`))).toEqual([])
    expect(byFolder("edge/brand-new/index.ts")).toEqual([])
  })

  it("are named, and nothing runs, with --list", async () => {
    const told: Array<string> = []
    const log = vi.spyOn(console, "log").mockImplementation((line: string) => void told.push(line))
    try {
      expect(await test(["--list", "edge/notification/waking.ts"])).toBe(0)
      expect(told.splice(0)).toEqual(["tests of edge/notification/waking.ts:\n  tests/edge/notification/parts.test.ts"])
      expect(await test(["--list", "edge/nowhere.ts"])).toBe(1)
      expect(told.splice(0).join()).toMatch(/^edge\/nowhere.ts is neither/)
      expect(await test(["--list"])).toBe(1)
      expect(await test(["--list", "ops/bench/main.ts"])).toBe(0)
      expect(await test(["ops/bench/main.ts"])).toBe(0)
      expect(told.splice(0).at(-1)).toContain("0 passed, 0 failed")
      expect(await test(["--help"])).toBe(0)
      expect(told.join("\n")).toContain("npm test -- --list <source file>")
    } finally {
      log.mockRestore()
    }
  })

  it("are not looked for where a word is no source file", () => {
    for (const word of ["tests/api/thread.test.ts", "actors/none.ts", "thread", "-t", "../actors/main.ts"])
      expect(isSource(word)).toBe(false)
  })
})
