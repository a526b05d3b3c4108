/** Prints each failure as soon as it is known, so that an interrupted run has printed the failures so far. */
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node"

interface Told {
  readonly message: string
  readonly stack?: string | undefined
  /** The difference between the expected and the actual value. */
  readonly diff?: string | undefined
}

const LINES_MAX = 40

const tell = (where: string, errors: ReadonlyArray<Told>): void => {
  for (const { message, stack, diff } of errors) {
    const text = stack?.includes(message) === true ? stack : `${message}\n${stack ?? ""}`
    const lines = [text, ...(diff === undefined ? [] : [diff])].map((one) => one.split("\n").slice(0, LINES_MAX))
    console.log(["", `FAILED ${where}`, ...lines.flat(), ""].join("\n"))
  }
}

export default class Failures implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result()
    if (result.state === "failed") tell(`${test.module.relativeModuleId} > ${test.fullName}`, result.errors)
  }

  onTestSuiteResult(suite: TestSuite): void {
    tell(`${suite.module.relativeModuleId} > ${suite.fullName}`, suite.errors())
  }

  onTestModuleEnd(module: TestModule): void {
    tell(module.relativeModuleId, module.errors())
  }
}
