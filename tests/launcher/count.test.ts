import { describe, expect, test } from "vitest"
import { countReport, readArguments } from "../../ops/launcher/test.ts"

function file(name: string, status: string, ...tests: ReadonlyArray<string>) {
  return { name, status, assertionResults: tests.map((it, index) => ({ status: it, fullName: `${name} ${index}` })) }
}

describe("the count of a test report", () => {
  test("adds up files", () => {
    const testResults = [file("a", "passed", "passed", "passed"), file("b", "failed", "passed", "failed")]
    expect(countReport({ testResults }, 1)).toEqual({ passed: 3, failed: 1, remarks: [] })
  })

  test.each(["skipped", "pending", "todo"])("takes a %s test for failed and names it", (status) => {
    const testResults = [file("a", "passed", "passed", status)]
    expect(countReport({ testResults }, 0)).toEqual({ passed: 1, failed: 1, remarks: [`${status}: a 1`] })
  })

  test("takes a file without tests for failed", () => {
    const testResults = [file("a", "passed", "passed"), file("b", "failed")]
    expect(countReport({ testResults }, 1)).toEqual({ passed: 1, failed: 1, remarks: ["no test ran: b"] })
  })

  test("takes a file whose hook broke for failed although its tests passed", () => {
    expect(countReport({ testResults: [file("a", "failed", "passed")] }, 1)).toMatchObject({ passed: 1, failed: 1 })
  })

  test("takes a run without tests, and a status nobody explains, for failed", () => {
    expect(countReport({ testResults: [] }, 0)).toMatchObject({ passed: 0, failed: 1 })
    expect(countReport({ testResults: [file("a", "passed", "passed")] }, 1)).toMatchObject({ passed: 1, failed: 1 })
  })
})

describe("the arguments of npm test", () => {
  test.each([
    [[], { vitest: [], files: false, coverage: false, campaign: null }],
    [["tests/api", "-t=a name"], { vitest: ["tests/api", "-t=a name"], files: true, coverage: false, campaign: null }],
    [["--coverage", "--bail=1"], { vitest: ["--bail=1"], files: false, coverage: true, campaign: null }],
    [["--campaign", "abc", "tests/api"], { vitest: ["tests/api"], files: true, coverage: false, campaign: "abc" }]
  ])("%j", (args, wanted) => expect(readArguments(args)).toEqual(wanted))
})
