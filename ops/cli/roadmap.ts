/** `hub roadmap …`: lists and changes the items of the roadmap. */
import { ROADMAP_ID } from "../../schemas/roadmap/operations.ts"
import { ROADMAP_STATUSES, type RoadmapStatus } from "../../schemas/roadmap/records.ts"
import type { Arguments, Command, Options } from "./command.ts"
import { Fault } from "./fault.ts"

const DEFAULT_POSITION = 1000
const STATUS = ROADMAP_STATUSES.join("|")
const FIELDS = `[--description <text>] [--status ${STATUS}] [--version <version>] [--thread <id>] [--position <n>]`

/** The fields that were given. An empty version or thread removes the stored one. */
const givenIn = ({ title, description, status, version, thread, position }: Options) => ({
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
  ...(status === undefined ? {} : { status: statusOf(status) }),
  ...(version === undefined ? {} : { version: version === "" ? null : version }),
  ...(thread === undefined ? {} : { thread_id: thread === "" ? null : numberOf("thread", thread) }),
  ...(position === undefined ? {} : { position: numberOf("position", position) })
})

const numberOf = (option: string, word: string): number => {
  if (!/^\d{1,9}$/.test(word)) throw new Fault(`--${option} is a whole number`)
  return Number(word)
}

const statusOf = (word: string): RoadmapStatus => {
  const status = ROADMAP_STATUSES.find((one) => one === word)
  if (status === undefined) throw new Fault(`--status is one of ${ROADMAP_STATUSES.join(", ")}`)
  return status
}

const idOf = ({ positionals: [id = ""] }: Arguments): number => {
  if (!/^[1-9]\d{0,8}$/.test(id)) throw new Fault(`${id} is no number of an entry`)
  return Number(id)
}

export const roadmapCommands: ReadonlyArray<Command> = [
  { usage: ["roadmap list"], run: (service) => service.command("roadmap.list", ROADMAP_ID, null) },
  {
    usage: [`roadmap add --title <text> ${FIELDS}`],
    run: async (service, { values }) =>
      service.command("roadmap.add", ROADMAP_ID, {
        title: "",
        description: "",
        status: "planned",
        version: null,
        thread_id: null,
        position: DEFAULT_POSITION,
        ...givenIn(values)
      })
  },
  {
    usage: [`roadmap change <id> [--title <text>] ${FIELDS}`],
    run: async (service, args) =>
      service.command("roadmap.change", ROADMAP_ID, { id: idOf(args), change: givenIn(args.values) })
  },
  {
    usage: ["roadmap remove <id>"],
    run: async (service, args) => service.command("roadmap.remove", ROADMAP_ID, { id: idOf(args) })
  }
]
