/** `hub explain`: the whole story of one request, from any of its ids. Reads only. */
import { pointOf } from "../replay/points.ts"
import { rootOf, type Story, storyOf } from "../explain/story.ts"
import { storyMermaid, storyText } from "../explain/text.ts"
import { kindOf } from "../replay/fold.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Command, Options } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { progressOf } from "./progress.ts"
import { idOfReference } from "./references.ts"

const ID = /^[^\s"\\]{1,256}$/

interface Root {
  readonly request: string
  readonly seq: number
}

/** The first commit of an actor such as `delivery/12`: what began it, began all of it. */
const firstOf = async (service: Service, kind: string, reference: string): Promise<number> => {
  const id = await idOfReference(service, kind, reference)
  const found = await service.manager.direct.getMessage(streams.events, {
    seq: 1,
    next_by_subj: subjects.event(kind, id)
  })
  if (found === null) throw new Fault(`the log holds nothing of ${kind} ${reference}`)
  return found.seq
}

/** So far before the place that an id leads to reading begins: a request's own commits lie close together. */
const APART_MAX = 10_000

const rootAt = async (service: Service, seq: number): Promise<Root> => {
  const root = await rootOf(service, seq)
  if (root === null) throw new Fault(`the log holds no commit #${seq}`)
  return { request: root.request, seq: Math.max(1, root.seq - APART_MAX) }
}

/** A request id does not say where in the log to look. */
const sought = async (service: Service, request: string, { since }: Options): Promise<Root> => {
  if (!ID.test(request)) throw new Fault("explain takes a request id, a command, #<sequence> or <kind>/<ref>")
  if (since === undefined) return { request, seq: 1 }
  const point = pointOf(since)
  if (point === null) throw new Fault("--since takes a sequence or a time")
  if ("seq" in point) return { request, seq: Math.max(1, point.seq) }
  const found = await service.manager.direct
    .getMessage(streams.events, { start_time: new Date(point.time) })
    .catch(() => null)
  return { request, seq: found?.seq ?? 1 }
}

const rootFor = async (service: Service, reference: string, values: Options): Promise<Root> => {
  const seq = /^#(\d{1,15})$/.exec(reference)?.[1]
  if (seq !== undefined) return rootAt(service, Number(seq))
  const [kind = "", ...rest] = reference.split("/")
  if (rest.length > 0 && kindOf(kind) !== undefined)
    return rootAt(service, await firstOf(service, kind, rest.join("/")))
  return sought(service, reference, values)
}

const shown = (story: Story, { json, mermaid }: Options): unknown => {
  if (json === true) return story
  return mermaid === true ? storyMermaid(story) : storyText(story)
}

export const explainCommand: Command = {
  usage: ["explain <id> [--since <point>] [--json] [--mermaid]"],
  run: async (service, { positionals: [reference = ""], values }) => {
    if (reference === "") throw new Fault("explain takes a request id, a command, #<sequence> or <kind>/<ref>")
    const { request, seq } = await rootFor(service, reference, values)
    const story = await untilInterrupted((signal) =>
      storyOf(service, { request, from: seq, progress: progressOf("explain"), signal })
    )
    if (story.commits.length === 0)
      throw new Fault(
        `the log holds no commit of ${request}: it was refused, only read, or is older than --since. ` +
          "The edge's log has its status and code"
      )
    return shown(story, values)
  }
}
