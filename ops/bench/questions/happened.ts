/** What happened in a story that was read, and who is who in it. */
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import type { Mark, Person, Told, Unit } from "./units.ts"

interface Entry {
  move: Told
  times: number
}

interface Happened {
  readonly entries: ReadonlyArray<Entry>
  readonly nameOf: (person: Person | undefined) => string
}

/** What happened, by the rules that a reader follows, and who is who. */
export const happened = (units: ReadonlyArray<Unit>, asked: Person | undefined): Happened => {
  const marks = new Map(units.flatMap((unit) => (unit.type === "intro" ? [[unit.name, unit.mark] as const] : [])))
  const valueOf = ({ relation, key }: Mark): string | undefined =>
    OUR_BANK.relations.find(({ name }) => name === relation)?.pairs.find(([one]) => one === key)?.[1]
  let last = ""
  const nameOf = (person: Person | undefined | null): string => {
    if (person === undefined || person === null) return ""
    if (person === "same") return last
    if (typeof person === "string") return person
    return (
      [...marks].find(([, mark]) => mark.relation === person.relation && valueOf(mark) === person.value)?.[0] ??
      unknown(liars)
    )
  }
  /** Who is told of most and is not known otherwise: whom a description that fits nobody is likely to mean. */
  const unknown = (not: ReadonlySet<string>): string => {
    const told = units.flatMap((unit) =>
      "move" in unit &&
      typeof unit.move.who === "string" &&
      unit.move.who !== "same" &&
      !marks.has(unit.move.who) &&
      !not.has(unit.move.who)
        ? [unit.move.who]
        : []
    )
    return (
      told.toSorted(
        (one, other) => told.filter((name) => name === other).length - told.filter((name) => name === one).length
      )[0] ?? "?"
    )
  }
  const liars = new Set<string>()
  for (const unit of units) if (unit.type === "liar") liars.add(nameOf(unit.who))
  // Nobody is introduced but who is asked about and the liar.
  if (liars.size === 0) for (const name of marks.keys()) if (name !== nameOf(asked)) liars.add(name)
  const between = units.find((unit) => unit.type === "between")
  const entries: Array<Entry> = []
  let inside = false
  const named = (move: Told): Told => {
    const whom = move.whom === null ? null : nameOf(move.whom)
    const who = nameOf(move.who)
    last = who
    return { ...move, who, whom }
  }
  const alike = (move: Told): Entry | undefined => {
    const one = named(move)
    const score = ({ move: other }: Entry): number =>
      (other.n === one.n ? 2 : 0) +
      (other.who === one.who ? 1 : 0) +
      (other.act === one.act ? 1 : 0) +
      (other.what === one.what ? 1 : 0)
    return entries.toSorted((left, right) => score(right) - score(left))[0]
  }
  const change = (entry: Entry | undefined, unit: Unit): void => {
    if (entry === undefined) return
    if (unit.type === "retold") entry.move = named(unit.move)
    if (unit.type !== "instead") return
    if (typeof unit.right === "number") entry.move = { ...entry.move, n: unit.right }
    else if (typeof unit.right === "string" && entry.move.what !== null && unit.wrong === entry.move.what)
      entry.move = { ...entry.move, what: unit.right }
    else entry.move = { ...entry.move, who: nameOf(unit.right as Person) }
  }
  for (const unit of units) {
    const before = entries.at(-1)
    if (unit.type === "sign")
      inside =
        between !== undefined && unit.sign === between.from
          ? true
          : between !== undefined && unit.sign === between.to
            ? false
            : inside
    else if (unit.type === "tell")
      entries.push({
        move: named(unit.move),
        times: unit.counts && !inside && !(unit.by !== null && liars.has(nameOf(unit.by))) ? 1 : 0
      })
    else if (unit.type === "chosen") entries.push({ move: named(unit.move), times: 1 })
    else if (unit.type === "instead" || unit.type === "retold") change(before, unit)
    else if (unit.type === "late") change(alike(unit.move), unit.change)
    else if (unit.type === "denied") {
      const entry = alike(unit.move)
      if (entry !== undefined) entry.times = 0
    } else if (unit.type === "cancel" && before !== undefined) before.times = 0
    else if (unit.type === "again" && before !== undefined) before.times = 2
    else if (unit.type === "like" && before !== undefined) {
      entries.push({
        move: {
          ...before.move,
          act: unit.opposite ? 1 - before.move.act : before.move.act,
          who: nameOf(unit.who),
          n: unit.n
        },
        times: 1
      })
    }
  }
  return { entries, nameOf }
}
