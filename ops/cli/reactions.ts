/**
 * `hub reactions …`: lists, repeats and clears commands that reactions could not carry out in their turn. Parked
 * commands are repeated automatically. Faults wait until an operator repeats or clears them.
 */
import { Effect } from "effect"
import { commandsAgain } from "../../actors/reactions/again.ts"
import { REACTIONS } from "../../actors/process/reactions.ts"
import { type Aside, asideOf, redoneId, takeBack } from "../../actors/reactions/aside.ts"
import { carryOut, ONCE } from "../../actors/reactions/carrying.ts"
import type { Command as Reaction, Reactions } from "../../actors/reactions/reaction.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"

const setNamed = (name: string): Reactions => {
  const found = REACTIONS.find((one) => one.name === name)
  if (found === undefined) throw new Fault(`there is no set of reactions ${name}: ${setNames()}`)
  return found
}

const setNames = (): string => REACTIONS.map(({ name }) => name).join(", ")

const faultsOf = async ({ nats }: Service, { name }: Reactions, at: string): Promise<ReadonlyArray<Aside>> => {
  if (at !== "" && !/^[1-9]\d{0,15}$/.test(at)) throw new Fault("a place in the log is a whole number")
  const all = await Effect.runPromise(asideOf(nats, name, "fault"))
  const found = all.filter(({ seq }) => at === "" || seq === Number(at))
  if (found.length === 0) throw new Fault(`${name} has no fault${at === "" ? "" : ` at ${at}`}`)
  return found
}

const HISTORY_PAGE = 1000

/**
 * True if the log has a commit of this command. The fault may have been recorded although the command was carried out,
 * or a reactor may have carried it out later.
 */
const isDone = async ({ log }: Pick<Service, "log">, { told, id }: Reaction, since: number): Promise<boolean> => {
  const subject = subjects.event(told.kind, told.actor)
  for (let after = since; ;) {
    const { entries, more } = await log.read(subject, after, HISTORY_PAGE)
    if (entries.some(({ commit }) => commit.id === id || commit.id === redoneId(id))) return true
    const last = entries.at(-1)
    if (!more || last === undefined) return false
    after = last.seq
  }
}

/**
 * Repeats the commands of a fault and returns the outcome for people. The fault is removed once the actors of all its
 * commands have accepted or refused them.
 */
const redo = async ({ nats, asker, log, archive }: Service, set: Reactions, fault: Aside): Promise<string> => {
  const outcomes: Array<string> = []
  for (const command of await commandsAgain(nats, set, fault, archive)) {
    const place = `${command.told.op} ${command.told.actor}`
    if (await isDone({ log }, command, fault.seq)) {
      outcomes.push(`${place}: done before`)
      continue
    }
    // An actor takes a reaction's earlier commands for done once it has a later one. The other id makes it judge this
    // command.
    const once = { ...command, id: redoneId(command.id) }
    const outcome = await Effect.runPromise(
      Effect.match(carryOut(asker.ask.bind(asker), once, undefined, ONCE), {
        onSuccess: (judged) => judged,
        onFailure: ({ code }) => `not done (${code})`
      })
    )
    outcomes.push(`${place}: ${outcome}`)
  }
  if (!outcomes.some((outcome) => outcome.includes("not done"))) await takeBack(nats, set.name, "fault", fault)
  return `${fault.seq} ${fault.kind} ${fault.id}: ${outcomes.length === 0 ? "nothing follows from it" : outcomes.join(", ")}`
}

const list = async ({ nats }: Service, sets: ReadonlyArray<Reactions>) =>
  Promise.all(
    sets.map(async ({ name }) => {
      const [parked, faults] = await Effect.runPromise(
        Effect.all([asideOf(nats, name, "parked"), asideOf(nats, name, "fault")])
      )
      return { name, parked, faults }
    })
  )

export const reactionsCommands: ReadonlyArray<Command> = [
  {
    usage: ["reactions list", "reactions list <set>"],
    run: (service, { positionals: [name] }) => list(service, name === undefined ? REACTIONS : [setNamed(name)])
  },
  {
    usage: ["reactions redo|clear <set>", "reactions redo|clear <set> <seq>"],
    run: async (service, { verb, positionals: [name = "", at = ""] }) => {
      const set = setNamed(name)
      const faults = await faultsOf(service, set, at)
      const lines: Array<string> = []
      for (const fault of faults) {
        if (verb === "redo") lines.push(await redo(service, set, fault))
        else {
          await takeBack(service.nats, set.name, "fault", fault)
          lines.push(`${fault.seq} ${fault.kind} ${fault.id}: cleared`)
        }
      }
      return lines.join("\n")
    }
  }
]
