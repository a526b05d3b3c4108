/** The parts that pages and actions of the console can use. */
import type { Clock } from "effect"
import type { Bus } from "../../edge/bus/bus.ts"
import type { HubConfig } from "../../schemas/config.ts"
import type { Service } from "../cli/connection.ts"
import type { History } from "./cluster/history.ts"
import type { Jobs } from "./cluster/jobs.ts"

export interface ConsoleParts {
  readonly clock: Clock.Clock
  readonly config: HubConfig
  /** The connections of the `hub` command, with its rights. */
  readonly service: Service
  /** The bus in the form that the reused parts of an edge need. */
  readonly bus: Bus
  readonly history: History
  readonly jobs: Jobs
}
