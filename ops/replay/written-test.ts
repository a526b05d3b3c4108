/**
 * Makes the texts of a vitest file and of a second file with an actor's history, for `hub replay --test` and the
 * console. The test replays the history and decides a command. It expects the decision that the present code makes. To
 * get a test that fails until the code is corrected, change that decision to the right one.
 *
 * Invariants
 *  - Texts from the log occur in the code only as JSON values.
 *  - Both files are masked, including the command. The expected decision is made from masked values, as in the test.
 */
import { basename, dirname, relative, resolve } from "node:path"
import { projectRoot } from "../launcher/paths.ts"
import { type Fixture, fixtureText } from "./fixture.ts"
import type { WhatIf, WhatIfCommand } from "./what-if.ts"

export type Expected = Pick<WhatIf, "refused" | "events">

/** Writes `__proto__` in brackets. Without them, this member of an object literal would set the prototype. */
const json = (value: unknown): string =>
  JSON.stringify(value ?? null, null, 2).replaceAll('"__proto__":', '["__proto__"]:')

const moduleIn = (file: string, path: string): string => {
  const from = relative(dirname(resolve(file)), resolve(projectRoot, path))
  return JSON.stringify(from.startsWith(".") ? from : `./${from}`)
}

export interface WrittenTest {
  readonly file: string
  readonly text: string
  /** The file with the history, in the same folder. */
  readonly historyFile: string
  readonly history: string
}

/** `put` is the command with its decision. If it is `null`, the test expects `state`. All values must be masked. */
export const testOf = (
  file: string,
  fixture: Fixture,
  put: { readonly command: WhatIfCommand; readonly decided: Expected } | null,
  state: unknown
): WrittenTest => {
  const historyFile = `${file.replace(/(?:\.test)?\.[cm]?[jt]s$/, "")}.history.json`
  const imported = (names: string, path: string): string => `import { ${names} } from ${moduleIn(file, path)}`
  const head = (names: string, more: ReadonlyArray<string>): ReadonlyArray<string> => [
    `/** An actor of the kind ${fixture.kind}: its history, exported with masked secrets, lies beside this file. */`,
    'import { readFileSync } from "node:fs"',
    'import { join } from "node:path"',
    'import { expect, test } from "vitest"',
    imported("readFixture", "ops/replay/fixture.ts"),
    imported(names, "ops/replay/fold.ts"),
    ...more,
    "",
    `const text = readFileSync(join(import.meta.dirname, ${JSON.stringify(basename(historyFile))}), "utf8")`,
    "const history = readFixture(text)",
    "const kind = kindOf(history.kind)",
    'if (kind === undefined) throw new Error("there is no such kind")',
    ""
  ]
  const lines =
    put === null
      ? [
          ...head("kindOf, stateAt", []),
          'test("the history makes this state", async () => {',
          "  const last = await stateAt(history.commits, kind.fold, history.id, null)",
          `  expect(last?.state).toEqual(${json(state)})`,
          "})"
        ]
      : [
          ...head("kindOf", [imported("DEFAULT_CONFIG, whatIf", "ops/replay/what-if.ts")]),
          `const command = ${json(put.command)}`,
          "",
          'test("the command is decided so", () => {',
          "  const past = { kind, id: history.id, entries: history.commits, until: null }",
          "  const { refused, events } = whatIf(past, command, DEFAULT_CONFIG)",
          `  expect({ refused, events }).toEqual(${json({ refused: put.decided.refused, events: put.decided.events })})`,
          "})"
        ]
  return { file, text: `${lines.join("\n")}\n`, historyFile, history: fixtureText(fixture) }
}
