import { describe, expect, test } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { campaignSeconds, countReport, readArguments, slowestFiles } from "../../ops/launcher/test.ts"

function file(name: string, status: string, ...tests: ReadonlyArray<string>) {
  return { name, status, assertionResults: tests.map((it, index) => ({ status: it, fullName: `${name} ${index}` })) }
}

describe("the count of a test report", () => {
  test("adds up files", () => {
    const testResults = [file("a", "passed", "passed", "passed"), file("b", "failed", "passed", "failed")]
    expect(countReport({ testResults }, 1)).toEqual({ passed: 3, failed: 1, remarks: ["failed: b > b 1"] })
  })

  test.each(["skipped", "pending", "todo"])("takes a %s test for failed and names it", (status) => {
    const testResults = [file("a", "passed", "passed", status)]
    expect(countReport({ testResults }, 0)).toEqual({ passed: 1, failed: 1, remarks: [`${status}: a > a 1`] })
  })

  test("takes a file without tests for failed", () => {
    const testResults = [file("a", "passed", "passed"), file("b", "failed")]
    expect(countReport({ testResults }, 1)).toEqual({ passed: 1, failed: 1, remarks: ["no test ran: b"] })
  })

  test("takes a file whose hook broke for failed although its tests passed", () => {
    const remarks = ["failed outside its tests: a (Error: no port)"]
    const broken = { ...file("a", "failed", "passed"), message: "Error: no port\n    at open" }
    expect(countReport({ testResults: [broken] }, 1)).toEqual({ passed: 1, failed: 1, remarks })
  })

  test("says why a test failed, in one line without colors", () => {
    const assertionResults = [
      { status: "failed", fullName: "t", failureMessages: ["Error: \u001b[31mred\u001b[39m\n  at x"] }
    ]
    const { remarks } = countReport({ testResults: [{ name: "a", status: "failed", assertionResults }] }, 1)
    expect(remarks).toEqual(["failed: a > t (Error: red)"])
  })

  test("takes a run without tests, and a status nobody explains, for failed", () => {
    expect(countReport({ testResults: [] }, 0)).toMatchObject({ passed: 0, failed: 1 })
    expect(countReport({ testResults: [file("a", "passed", "passed")] }, 1)).toMatchObject({ passed: 1, failed: 1 })
  })
})

test("the slowest files are ten, by the time of their tests", () => {
  const timed = (name: number) => ({
    name: `${projectRoot}/tests/${name}.test.ts`,
    status: "passed",
    assertionResults: [
      { status: "passed", fullName: "a", duration: name * 500 },
      { status: "passed", fullName: "b", duration: name * 500 }
    ]
  })
  const lines = slowestFiles({ testResults: Array.from({ length: 12 }, (_, index) => timed(index)) })
  expect(lines).toHaveLength(10)
  expect(lines[0]).toBe("   11.0 s  tests/11.test.ts")
})

describe("the arguments of npm test", () => {
  test.each([
    [[], { vitest: [], files: false, coverage: false, campaign: null }],
    [["tests/api", "-t=a name"], { vitest: ["tests/api", "-t=a name"], files: true, coverage: false, campaign: null }],
    [["--coverage", "--bail=1"], { vitest: ["--bail=1"], files: false, coverage: true, campaign: null }],
    [["--campaign", "abc", "tests/api"], { vitest: ["tests/api"], files: true, coverage: false, campaign: "abc" }]
  ])("%j", (args, wanted) => expect(readArguments(args)).toEqual(wanted))
})

test.each([
  [0, 840],
  [70 * 60_000, 840],
  [75 * 60_000, 540],
  [83 * 60_000, 60],
  [83 * 60_000 + 1, 0],
  [100 * 60_000, 0]
])("a campaign after %i ms gets %i seconds", (passed, seconds) => {
  expect(campaignSeconds(passed)).toBe(seconds)
})
