/** `hub compartment …` and `hub host …`: lists compartments and hosts, and carries out operators' actions on them. */
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
  const [id = ""] = positionals
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

const compartmentRecord = async (service: Service, id: string) => {
  const { compartment, host } = await service.command("compartment.look", id, { by: BY })
  return { ...compartment, host }
}

const list = async (service: Service): Promise<unknown> => {
  const rows = []
  for (const { compartment } of await all(service)) {
    try {
      const { id, name, status, agent, host, suspended } = await compartmentRecord(service, compartment)
      rows.push({ id, name, status, agent, host, suspended: suspended?.reason ?? null })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      // It was deleted meanwhile.
      if (error.code === "not_found") continue
      rows.push({ id: compartment, error: error.message })
    }
  }
  return rows
}

const stop = async (service: Service, args: Arguments): Promise<unknown> => {
  if (args.values.all !== true) {
    const id = idOf(args)
    await service.command("compartment.stop", id, { by: BY })
    return compartmentRecord(service, id)
  }
  const [stopped, left]: [Array<string>, Array<string>] = [[], []]
  for (const { compartment } of await all(service)) {
    // A compartment that is changing, or was deleted meanwhile, must not keep the others running.
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
  return compartmentRecord(service, id)
}

const lift = async (service: Service, args: Arguments): Promise<unknown> => {
  const id = idOf(args)
  await service.command("compartment.lift", id, { by: "operator" })
  return compartmentRecord(service, id)
}

const remove = async (service: Service, args: Arguments): Promise<unknown> => {
  const id = idOf(args)
  const { name } = await compartmentRecord(service, id)
  await service.command("compartment.delete", id, { by: BY, confirm: name })
  return `${id} is being deleted with all that is in /data`
}

export const compartmentCommands: ReadonlyArray<Command> = [
  { usage: ["compartment list"], run: list },
  { usage: ["compartment show <id>"], run: (service, args) => compartmentRecord(service, idOf(args)) },
  { usage: ["compartment stop <id>", "compartment stop --all"], run: stop },
  { usage: ["compartment suspend <id> [--reason <text>]"], run: suspend },
  { usage: ["compartment lift <id>"], run: lift },
  { usage: ["compartment delete <id>"], run: remove }
]

const drained =
  (isDrained: boolean) =>
  async (service: Service, { positionals: [host = ""] }: Arguments) => {
    await service.command("fleet.drain", FLEET_ID, { host, drained: isDrained })
    return isDrained
      ? `${host} gets no new compartments; those that are there stay`
      : `${host} takes compartments again`
  }

export const hostCommands: ReadonlyArray<Command> = [
  { usage: ["host list"], run: (service) => service.command("fleet.hosts", FLEET_ID, null) },
  { usage: ["host drain <id>"], run: drained(true) },
  { usage: ["host undrain <id>"], run: drained(false) },
  {
    usage: ["host forget <id>"],
    run: async (service, { positionals: [host = ""] }) => {
      await service.command("fleet.forget", FLEET_ID, { host })
      return `${host} is given up: its compartments begin on other hosts, with an empty /data`
    }
  }
]
