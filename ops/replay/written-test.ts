/**
 * A vitest file of an actor's history and of a command put to it, as `hub replay --test` writes it. The expectation is what
 * is decided now: change it to what should be, and the test fails until the code agrees.
 */
import { dirname, relative, resolve } from "node:path"
import { projectRoot } from "../launcher/paths.ts"
import type { Kind } from "../../actors/kind.ts"
import { type Fixture, fixtureText } from "./fixture.ts"
import { stateAt } from "./fold.ts"
import { Masker } from "./masks.ts"
import { DEFAULT_CONFIG, whatIf, type WhatIfCommand } from "./what-if.ts"

const json = (value: unknown): string => JSON.stringify(value ?? null, null, 2)

const moduleIn = (file: string, path: string): string => {
  const from = relative(dirname(resolve(file)), resolve(projectRoot, path))
  return JSON.stringify(from.startsWith(".") ? from : `./${from}`)
}

/** Of the state alone where no command is put. Throws a WhatIfFault where the command cannot be. */
export const testOf = async (
  kind: Kind,
  fixture: Fixture,
  command: WhatIfCommand | null,
  file: string
): Promise<string> => {
  const { id, commits } = fixture
  const at = command?.at ?? commits.at(-1)?.commit.at ?? 0
  const decided =
    command === null
      ? null
      : new Masker().mask(whatIf({ kind, id, entries: commits, until: null }, { ...command, at }, DEFAULT_CONFIG))
  const last = decided === null ? await stateAt(commits, kind.fold, id, null) : null
  const imported = (names: string, path: string): string => `import { ${names} } from ${moduleIn(file, path)}`
  const imports = [
    'import { expect, test } from "vitest"',
    imported("kindOf, stateAt", "ops/replay/fold.ts"),
    ...(decided === null ? [] : [imported("DEFAULT_CONFIG, whatIf", "ops/replay/what-if.ts")])
  ].filter((line) => decided === null || !line.includes("stateAt"))
  const head = [
    `/** ${fixture.kind} ${id}: its history, exported with masked secrets. */`,
    ...imports,
    ...(decided === null ? [] : [imported("kindOf", "ops/replay/fold.ts")]),
    "",
    `const history = ${fixtureText(fixture).trimEnd()}`,
    "",
    "const kind = kindOf(history.kind)",
    'if (kind === undefined) throw new Error("there is no such kind")',
    ""
  ]
  const body =
    decided === null
      ? [
          'test("the history makes this state", async () => {',
          "  const last = await stateAt(history.commits, kind.fold, history.id, null)",
          `  expect(last?.state).toEqual(${json(last?.state)})`,
          "})"
        ]
      : [
          `const command = ${json({ op: command?.op, input: command?.input, at, facts: command?.facts ?? null })}`,
          "",
          `test("${command?.op} is decided so", () => {`,
          "  const past = { kind, id: history.id, entries: history.commits, until: null }",
          "  const { refused, events } = whatIf(past, command, DEFAULT_CONFIG)",
          `  expect({ refused, events }).toEqual(${json({ refused: decided.refused, events: decided.events })})`,
          "})"
        ]
  return `${[...head, ...body].join("\n")}\n`
}
