/** `hub compartment …` and `hub host …`: what runs, where, and what operators do about it. */
import type { Asker } from "../../schemas/compartment/operations.ts"
import { COMPARTMENT_ID } from "../../schemas/compartment/fields.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { type Arguments, type Command, Finding } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"

const BY: Asker = { type: "operator" }
const PAGE = 1000
const REASON = "stopped by an operator"

const idOf = ({ positionals }: Arguments): string => {
  const [, id = ""] = positionals
  if (COMPARTMENT_ID.test(id)) return id
  throw new Fault("name a compartment by its id: cmp_ and twenty letters and digits")
}

const all = async (service: Service) => {
  const input = { agents: null, human: null, per_page: PAGE }
  const places = []
  for (let page = 1; ; page++) {
    const { items, total } = await service.command("fleet.places", FLEET_ID, { ...input, page })
    places.push(...items)
    if (items.length === 0 || places.length >= total) return places
  }
}

const shown = async (service: Service, id: string) => {
  const { compartment, host } = await service.command("compartment.look", id, { by: BY })
  return { ...compartment, host }
}

const list = async (service: Service): Promise<unknown> => {
  const rows = []
  for (const { compartment } of await all(service)) {
    const one = await shown(service, compartment).catch(() => null)
    // It has just gone.
    if (one === null) continue
    const { id, name, status, agent, host, suspended } = one
    rows.push({ id, name, status, agent, host, suspended: suspended?.reason ?? null })
  }
  return rows
}

const stop = async (service: Service, args: Arguments): Promise<unknown> => {
  if (args.values.all !== true) {
    const id = idOf(args)
    await service.command("compartment.stop", id, { by: BY })
    return shown(service, id)
  }
  const [stopped, left]: [Array<string>, Array<string>] = [[], []]
  for (const { compartment } of await all(service)) {
    // One that is in between, or has just gone, does not keep the others running.
    const isTold = await service.command("compartment.stop", compartment, { by: BY }).then(
      () => true,
      () => false
    )
    ;(isTold ? stopped : left).push(compartment)
  }
  if (left.length === 0) return stopped
  return new Finding(`${stopped.length} are told to stop; say it again for those in between: ${left.join(", ")}`)
}

const suspend = async (service: Service, args: Arguments): Promise<unknown> => {
  const [id, reason] = [idOf(args), args.values.reason ?? REASON]
  await service.command("compartment.suspend", id, { by: "operator", reason })
  return shown(service, id)
}

const lift = async (service: Service, args: Arguments): Promise<unknown> => {
  const id = idOf(args)
  await service.command("compartment.lift", id, { by: "operator" })
  return shown(service, id)
}

const remove = async (service: Service, args: Arguments): Promise<unknown> => {
  const id = idOf(args)
  const { name } = await shown(service, id)
  await service.command("compartment.delete", id, { by: BY, confirm: name })
  return `${id} is being deleted with all that is in /data`
}

type Actions = Readonly<Record<string, (service: Service, args: Arguments) => Promise<unknown>>>

const acting = (usage: ReadonlyArray<string>, actions: Actions): Command["run"] => {
  return (service, args) => {
    const [name = ""] = args.positionals
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (action === undefined) throw new Fault(`usage: hub ${usage.join("\n       hub ")}`)
    return action(service, args)
  }
}

const USAGE = [
  "compartment list",
  "compartment show <id>",
  "compartment stop <id>",
  "compartment stop --all",
  "compartment suspend <id> [--reason <text>]",
  "compartment lift <id>",
  "compartment delete <id>"
]

export const compartmentCommand: Command = {
  usage: USAGE,
  run: acting(USAGE, {
    list,
    show: (service, args) => shown(service, idOf(args)),
    stop,
    suspend,
    lift,
    delete: remove
  })
}

const hostOf = ({ positionals }: Arguments): string => {
  const [, host = ""] = positionals
  if (host !== "") return host
  throw new Fault("name a host by its id: hub host list")
}

const drained = (isDrained: boolean) => async (service: Service, args: Arguments) => {
  const host = hostOf(args)
  await service.command("fleet.drain", FLEET_ID, { host, drained: isDrained })
  return isDrained ? `${host} gets no new compartments; those that are there stay` : `${host} takes compartments again`
}

const forget = async (service: Service, args: Arguments): Promise<unknown> => {
  const host = hostOf(args)
  await service.command("fleet.forget", FLEET_ID, { host })
  return `${host} is given up: its compartments begin on other hosts, with an empty /data`
}

const HOST_USAGE = ["host list", "host drain <id>", "host undrain <id>", "host forget <id>"]

export const hostCommand: Command = {
  usage: HOST_USAGE,
  run: acting(HOST_USAGE, {
    list: (service) => service.command("fleet.hosts", FLEET_ID, null),
    drain: drained(true),
    undrain: drained(false),
    forget
  })
}
