/**
 * Downloads of an actor's history, and of a command that is tried on it: the files that `hub replay --export` and
 * `--test` write.
 */
import { join } from "node:path"
import { projectRoot } from "../../launcher/paths.ts"
import { Fault } from "../../cli/fault.ts"
import { fixtureOf, fixtureText } from "../../replay/fixture.ts"
import { stateAt } from "../../replay/fold.ts"
import { Masker } from "../../replay/masks.ts"
import { putTo } from "../../replay/put.ts"
import { type Expected, testOf } from "../../replay/written-test.ts"
import type { Download, Visit } from "../page.ts"
import { type Actor, upTo, type Whole } from "./history.ts"
import { commandOf, isInPlace, readable } from "./what-if.ts"

const JSON_FILE = "application/json; charset=utf-8"
const TEST_FILE = "text/plain; charset=utf-8"

/** Imports in the downloaded test are relative to this folder. */
const FOLDER = "tests/ops"

const nameOf = ({ kind }: Actor, { entries }: Whole): string => `${kind.fold.kind}-${entries.at(-1)?.seq ?? 0}`

export const exported = async ({ parts }: Visit, actor: Actor, seq: number): Promise<Download> => {
  const whole = await upTo(parts.service, actor, seq)
  const fixture = fixtureOf(actor.kind.fold.kind, actor.id, whole.entries)
  return { file: `${nameOf(actor, whole)}.json`, type: JSON_FILE, content: fixtureText(fixture) }
}

const expectedIn = (text: string): Partial<Expected> | null => {
  if (text.trim() === "") return null
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch {
    // The fault is reported below.
  }
  throw new Fault('`expected` must be JSON such as {"refused": null, "events": []}.')
}

/** Makes the file of the test, or the file of the history that the test reads. */
export const written = async (
  { parts, query }: Visit,
  actor: Actor,
  seq: number,
  part: "test" | "history"
): Promise<Download> => {
  const command = commandOf(actor, query)
  const until = command !== null && isInPlace(query) ? seq - 1 : seq
  const whole = await upTo(parts.service, actor, until)
  const { kind, id } = actor
  const masker = new Masker({ passedOn: true })
  const fixture = fixtureOf(kind.fold.kind, id, whole.entries, masker)
  const file = join(projectRoot, FOLDER, `${nameOf(actor, whole)}.test.ts`)
  const put = command === null ? null : readable(() => putTo(kind, { fixture, masker, next: whole.next }, command))
  const expected = expectedIn(query.get("expected") ?? "")
  const decided =
    put === null || expected === null
      ? put
      : { command: put.command, decided: { refused: null, events: [], ...masker.mask(expected) } }
  const last = await stateAt(fixture.commits, kind.fold, id, null)
  const test = testOf(file, fixture, decided, last?.state)
  return part === "test"
    ? { file: `${nameOf(actor, whole)}.test.ts`, type: TEST_FILE, content: test.text }
    : { file: `${nameOf(actor, whole)}.history.json`, type: JSON_FILE, content: test.history }
}
