/**
 * The figures of a process that the operators' console plots. The console asks for them on the bus, where only
 * processes of the service answer. So it needs no address of a metrics port.
 *
 * Counts are totals since the process began, so two readings give the rates between them.
 */
import { Schema } from "effect"
import { subjects } from "../../subjects.ts"
import type { NatsShape } from "../bus/transport.ts"
import { DURATION_SECONDS } from "./meter.ts"

const Count = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const NAME_MAX_CHARS = 128
const Name = Schema.String.check(Schema.isMaxLength(NAME_MAX_CHARS))
/**
 * Counts of requests by duration: one count for each of `DURATION_SECONDS`, and one for all longer ones. Requests that
 * wait on purpose are not counted.
 */
const Durations = Schema.Array(Count).check(
  Schema.isMinLength(DURATION_SECONDS.length + 1),
  Schema.isMaxLength(DURATION_SECONDS.length + 1)
)
const CODES_MAX = 128

export const Figures = Schema.Struct({
  /** A unique id. A restarted process in the same place has another one. */
  id: Name,
  host: Name,
  pid: Schema.Int,
  /** Such as `actors,queries`. */
  roles: Name,
  cpu_seconds: Count,
  memory_bytes: Count,
  /** `null` for processes that are not edges. */
  edge: Schema.NullOr(
    Schema.Struct({
      requests: Count,
      /** Counts by error code. */
      refusals: Schema.Record(Schema.String.check(Schema.isPattern(/^[a-z_]{1,64}$/)), Count).check(
        Schema.isMaxProperties(CODES_MAX)
      ),
      durations: Durations
    })
  ),
  /** For actor nodes: the number of commits that the process has written to the log. `null` for other processes. */
  commits: Schema.NullOr(Count)
})
export type Figures = typeof Figures.Type

const US = 1e6
const utf8 = new TextEncoder()

/** Answers for as long as the connection lives. */
export const answerFigures = (
  nats: NatsShape,
  place: Pick<Figures, "id" | "host" | "pid" | "roles">,
  read: () => Pick<Figures, "edge" | "commits">
): void => {
  nats.subscribe(subjects.figures, {
    callback: (error, { reply }) => {
      if (error !== null || reply === undefined || reply === "") return
      const { user, system } = process.cpuUsage()
      const figures: Figures = {
        ...place,
        cpu_seconds: (user + system) / US,
        memory_bytes: process.memoryUsage.rss(),
        ...read()
      }
      nats.publish(reply, utf8.encode(JSON.stringify(figures)))
    }
  })
}
