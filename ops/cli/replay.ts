/**
 * `hub replay`: shows an actor's history and states, from the log or a fixture. It changes nothing in the service.
 * `--export` and `--test` write files.
 */
import { readFile, stat, writeFile } from "node:fs/promises"
import { join, resolve, sep } from "node:path"
import type { LogEntry } from "../../actors/log/commit.ts"
import { KINDS } from "../../actors/process/kinds.ts"
import { readConfig } from "../../schemas/config.ts"
import { projectRoot } from "../launcher/paths.ts"
import { asJson, differences } from "../replay/difference.ts"
import { type Fixture, FixtureFault, fixtureOf, fixtureText, readFixture } from "../replay/fixture.ts"
import {
  historyOf,
  isBeyond,
  isLogless,
  kindOf,
  lacksItsBeginning,
  orEnded,
  type Point,
  replay,
  stateAt,
  type Step,
  TooLong
} from "../replay/fold.ts"
import { Masker } from "../replay/masks.ts"
import { POINT_FORMS, pointOf, pointText } from "../replay/points.ts"
import { type Exported, putTo } from "../replay/put.ts"
import { differencesText, entryText, headText, stepText, whatIfText } from "../replay/report.ts"
import { testOf } from "../replay/written-test.ts"
import { differsFromReality, readWhatIf, whatIf, WhatIfFault } from "../replay/what-if.ts"
import type { Command, Options } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { idOfReference } from "./references.ts"
import type { NodeKind } from "../../actors/process/kinds.ts"

const FILE_MAX_BYTES = 67_108_864
const LAST = /^[1-9]\d{0,8}$/
/** At most one of these may be given. */
const MODES = ["at", "diff", "what-if", "export"] as const

interface Subject {
  readonly kind: NodeKind
  readonly id: string
  /** The actor's name as the operator wrote it. */
  readonly name: string
  readonly entries: AsyncIterable<LogEntry> | Iterable<LogEntry>
}

export const replayCommand = {
  usage: [
    "replay <kind> <ref> [--to <point>] [--last <number>] [--events-only] [--json]",
    "replay <kind> <ref> --at <point> [--json]",
    "replay <kind> <ref> --diff <point> <point> [--json]",
    "replay <kind> <ref> --what-if <file> [--to <point>] [--json]",
    "replay <kind> <ref> --export <file> [--to <point>]",
    "replay <kind> <ref> --test <file> [--what-if <file>] [--to <point>]",
    "replay --from-file <file> [any of these options]"
  ],
  run: async (service, { positionals: [kind = "", reference = ""], values }) => {
    const found = kindOf(kind)
    if (found === undefined || reference === "")
      throw new Fault(`replay takes a kind and an id; kinds: ${KINDS.map((one) => one.fold.kind).join(", ")}`)
    refuseModes(values)
    if (isLogless(found))
      return `${kind}: no history; what such an actor knows lies in its memory and in streams that keep the newest state only`
    return answered(await fromLog(service, found, reference), values)
  },
  servers: ({ values }) => (values["from-file"] === undefined ? "needed" : "none"),
  alone: ({ positionals, values }) => {
    const file = values["from-file"]
    if (file === undefined) return null
    if (positionals.length > 0) throw new Fault("--from-file names the actor itself: leave out kind and id")
    refuseModes(values)
    return fromFile(file).then((subject) => answered(subject, values))
  }
} satisfies Command

const refuseModes = (values: Options): void => {
  const [one, other] = MODES.filter((mode) => values[mode] !== undefined)
  if (other !== undefined) throw new Fault(`--${one} and --${other} do not go together`)
  if (values.to !== undefined && (one === "at" || one === "diff"))
    throw new Fault(`--${one} and --to do not go together`)
  const isHistory = MODES.every((mode) => values[mode] === undefined) && values.test === undefined
  if (!isHistory && (values.last !== undefined || values["events-only"] === true))
    throw new Fault("--last and --events-only go with the history alone")
  if (values.last !== undefined && !LAST.test(values.last)) throw new Fault("--last takes a whole number from 1 on")
  if (values.test !== undefined && MODES.some((mode) => mode !== "what-if" && values[mode] !== undefined))
    throw new Fault("--test goes with --what-if and --to alone")
  if (values.diff !== undefined && values.diff.length !== 2)
    throw new Fault(`--diff takes two points, each ${POINT_FORMS}`)
}

const fromLog = async (service: Service, kind: NodeKind, reference: string): Promise<Subject> => {
  const id = await idOfReference(service, kind.fold.kind, reference)
  return { kind, id, name: reference, entries: historyOf(service.log, kind.fold.kind, id) }
}

const fromFile = async (file: string): Promise<Subject> => {
  const fixture = readable(file, await textOf(file), readFixture)
  const kind = kindOf(fixture.kind)
  if (kind === undefined) throw new Fault(`${file}: there is no kind ${fixture.kind}`)
  return { kind, id: fixture.id, name: fixture.id, entries: fixture.commits }
}

const answered = async (subject: Subject, values: Options): Promise<unknown> => {
  if (values.at !== undefined) return momentOf(subject, point("--at", values.at), values)
  if (values.diff !== undefined)
    return changed(subject, point("--diff", values.diff[0]), point("--diff", values.diff[1]), values)
  const until = values.to === undefined ? null : point("--to", values.to)
  if (values.export !== undefined) return exported(subject, until, values.export)
  if (values.test !== undefined) return tested(subject, until, values.test, values["what-if"])
  if (values["what-if"] !== undefined) return supposed(subject, until, values["what-if"], values)
  return history(subject, until, values)
}

const point = (option: string, text = ""): Point => {
  const found = pointOf(text)
  if (found === null) throw new Fault(`${option} takes ${POINT_FORMS}`)
  return found
}

const nothingOf = ({ kind, name }: Subject, until: Point | null): Fault =>
  new Fault(
    `the log holds nothing of ${kind.fold.kind} ${name}${until === null ? "" : ` up to ${pointText(until)}`}${orEnded(kind.fold)}`
  )

const upTo = async (subject: Subject, until: Point | null): Promise<ReadonlyArray<Step>> => {
  const steps = await whole(subject, until)
  if (steps.length === 0) throw nothingOf(subject, until)
  return steps
}

const whole = ({ kind, id, entries }: Subject, until: Point | null): Promise<ReadonlyArray<Step>> =>
  replay(entries, kind.fold, id, until).catch((error: unknown) => {
    throw error instanceof TooLong ? new Fault(error.message) : error
  })

const BEGINNING_ENDED = "its first commits are no longer kept, so what is left makes no state"

const history = async (subject: Subject, until: Point | null, values: Options): Promise<unknown> => {
  const masker = new Masker()
  const found = await upTo(subject, until)
  const all = found.map((step) => masker.mask(step))
  const steps = values.last === undefined ? all : all.slice(-Number(values.last))
  const withState = values["events-only"] !== true
  if (values.json === true) return steps.map(({ entry, state }) => (withState ? { ...entry, state } : entry))
  const shown = steps.map((step) => (withState ? stepText(step) : entryText(step.entry)))
  const lacks = lacksItsBeginning(subject.kind.fold, found[0]) ? [BEGINNING_ENDED] : []
  return [`${subject.kind.fold.kind} ${subject.id}`, ...lacks, ...shown].join("\n\n")
}

const momentOf = async (subject: Subject, at: Point, { json }: Options): Promise<unknown> => {
  const { kind, id, entries } = subject
  const last = await stateAt(entries, kind.fold, id, at)
  if (last === null) throw nothingOf(subject, at)
  const { entry, state } = new Masker().mask(last)
  if (json === true) return { kind: kind.fold.kind, id, seq: entry.seq, at: entry.commit.at, state }
  return [
    `${kind.fold.kind} ${id} at ${pointText(at)}, unchanged since`,
    headText(entry),
    "",
    JSON.stringify(state, null, 2)
  ].join("\n")
}

const changed = async (subject: Subject, from: Point, to: Point, { json }: Options): Promise<unknown> => {
  const { kind, id } = subject
  const steps = await upTo(subject, null)
  const masker = new Masker()
  const [before, after] = [from, to].map((one) => steps.findLast(({ entry }) => !isBeyond(entry, one)))
  const changes = differences(asJson(masker.mask(before?.state)), asJson(masker.mask(after?.state)))
  const [seqFrom, seqTo] = [before?.entry.seq ?? 0, after?.entry.seq ?? 0]
  if (json === true)
    return {
      kind: kind.fold.kind,
      id,
      from: seqFrom,
      to: seqTo,
      changes: changes.map(({ path, before: was, after: is }) => ({ path, before: was ?? null, after: is ?? null }))
    }
  return [
    `${kind.fold.kind} ${id}: #${seqFrom} → #${seqTo}`,
    ...(changes.length === 0 ? ["nothing differs"] : differencesText(changes)).map((line) => `  ${line}`)
  ].join("\n")
}

const writeNew = (file: string, text: string): Promise<void> =>
  writeFile(file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw new Fault(error.code === "EEXIST" ? `${file} exists already` : `${file} cannot be written: ${error.code}`)
  })

const exported = async (subject: Subject, until: Point | null, file: string): Promise<string> => {
  const steps = await upTo(subject, until)
  const fixture: Fixture = fixtureOf(
    subject.kind.fold.kind,
    subject.id,
    steps.map(({ entry }) => entry)
  )
  await writeNew(file, fixtureText(fixture))
  return `${file}: ${fixture.commits.length} commits of ${fixture.kind} ${fixture.id}, secrets masked`
}

/**
 * Writes a test that replays the history. It expects the present decision on the command, or the present state if there
 * is no command.
 */
const tested = async (subject: Subject, until: Point | null, file: string, whatIfFile?: string): Promise<string> => {
  const { kind, id } = subject
  const all = (await whole(subject, null)).map(({ entry }) => entry)
  const entries = all.filter((entry) => !isBeyond(entry, until))
  if (entries.length === 0) throw nothingOf(subject, until)
  const masker = new Masker({ passedOn: true })
  const fixture = fixtureOf(kind.fold.kind, id, entries, masker)
  const last = await stateAt(fixture.commits, kind.fold, id, null)
  const written = testOf(
    file,
    fixture,
    whatIfFile === undefined ? null : await put(subject, { fixture, masker, next: all[entries.length] }, whatIfFile),
    last?.state
  )
  await writeNew(written.historyFile, written.history)
  await writeNew(written.file, written.text)
  const isInside = resolve(file).startsWith(join(projectRoot, "tests", sep))
  return isInside
    ? `${file}: run it with npm test -- ${file}, and format it with npm run format`
    : `${file}: move it and ${written.historyFile} into tests/ to run them`
}

const put = async ({ kind }: Subject, exported: Exported, file: string) => {
  const given = readable(file, await textOf(file), readWhatIf)
  return readable(file, given, (one) => putTo(kind, exported, one))
}

const supposed = async (subject: Subject, until: Point | null, file: string, { json }: Options): Promise<unknown> => {
  const config = readConfig(process.env)
  if (!config.ok) throw new Fault(config.problem)
  const command = readable(file, await textOf(file), readWhatIf)
  const { kind, id } = subject
  const all = (await whole(subject, null)).map(({ entry }) => entry)
  const result = new Masker().mask(
    readable(file, command, (one) => whatIf({ kind, id, entries: all, until }, one, config.config))
  )
  return json === true
    ? { ...result, differs: differsFromReality(result) }
    : `${kind.fold.kind} ${id}\n${whatIfText(result)}`
}

const textOf = async (file: string): Promise<string> => {
  try {
    if ((await stat(file)).size > FILE_MAX_BYTES) throw new Fault(`${file} is larger than ${FILE_MAX_BYTES} bytes`)
    return await readFile(file, "utf8")
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault(
      `${file} cannot be read: ${error instanceof Error && "code" in error ? String(error.code) : "it is no file"}`
    )
  }
}

/** Adds the file's name to faults in its content. */
const readable = <From, To>(file: string, from: From, read: (from: From) => To): To => {
  try {
    return read(from)
  } catch (error) {
    if (error instanceof FixtureFault || error instanceof WhatIfFault) throw new Fault(`${file}: ${error.message}`)
    throw error
  }
}
