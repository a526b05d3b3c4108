/** Finds a refused request by its id, in the memory of an edge or in a request log. */
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import type { NatsConnection } from "@nats-io/transport-node"
import { Option, Schema } from "effect"
import { RefusedAnswer, type RefusedRequest } from "../../schemas/bus/refused.ts"
import { subjects } from "../../schemas/subjects.ts"
import { Fault } from "../cli/fault.ts"
import { answersTo, type Bounds } from "../status/answers.ts"

const BOUNDS: Bounds = { stallMs: 300, withinMs: 1200, max: 500 }

const readAnswer = Schema.decodeUnknownOption(Schema.fromJsonString(RefusedAnswer))

export interface Remembered {
  readonly edges: number
  /** The answer of the edge that still remembers the refusal; `null` if none does. */
  readonly found: RefusedAnswer | null
  /** Refusals that those edges did not remember, because there were too many. */
  readonly passed_over: number
}

/** Asks all edges in parallel for the refusal of this request. */
export const rememberedBy = async (nats: NatsConnection, id: string): Promise<Remembered> => {
  let [edges, passed_over] = [0, 0]
  let found: RefusedAnswer | null = null
  for await (const message of answersTo(nats, subjects.refused, id, BOUNDS)) {
    const answer = Option.getOrNull(readAnswer(new TextDecoder().decode(message.data)))
    if (answer === null) continue
    edges++
    passed_over += Object.values(answer.passed_over).reduce((sum, one) => sum + one, 0)
    if (answer.found !== null) found = answer
  }
  return { edges, found, passed_over }
}

/** A line of the request log (edge/http/log.ts). Older releases wrote no `by`. */
const readLine = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      time: Schema.String,
      id: Schema.String,
      method: Schema.String,
      path: Schema.String,
      status: Schema.Int,
      ms: Schema.Number,
      key: Schema.optionalKey(Schema.String),
      client: Schema.String,
      code: Schema.optionalKey(Schema.String),
      by: Schema.optionalKey(Schema.String),
      asked: Schema.optionalKey(Schema.String),
      field: Schema.optionalKey(Schema.String),
      bucket: Schema.optionalKey(Schema.String)
    })
  )
)

export interface Refused extends Omit<RefusedRequest, "by" | "code"> {
  /** `null` if the line of the log has no `by`: the request was not refused, or the release is older. */
  readonly by: string | null
  readonly code: string | null
}

/**
 * Finds a request's line in a request log; `null` if there is none. Text before the JSON of a line is skipped: `docker
 * compose logs` writes the container's name there.
 */
export const inLog = async (file: string, id: string): Promise<Refused | null> => {
  const lines = createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Number.POSITIVE_INFINITY })
  const needle = `"id":"${id}"`
  try {
    for await (const line of lines) {
      if (!line.includes(needle)) continue
      const told = Option.getOrNull(readLine(line.slice(Math.max(0, line.indexOf("{")))))
      if (told === null || told.id !== id) continue
      const {
        time,
        path,
        key = null,
        code = null,
        by = null,
        asked = null,
        field = null,
        bucket = null,
        ...rest
      } = told
      const more = { at: Date.parse(time), route: path, reason: null, agent: null, human: null }
      return { ...rest, ...more, key, code, by, asked, field, bucket }
    }
    return null
  } catch (error) {
    throw new Fault(`--log: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    lines.close()
  }
}
