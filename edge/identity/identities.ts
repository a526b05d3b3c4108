/** The parts that an edge needs to answer for identities, made once. */
import type { Bus } from "../bus/bus.ts"
import type { EdgeConfig } from "../http/config.ts"
import { Directory } from "./directory.ts"
import { type Judge, judgeOf } from "./judge.ts"
import { OwnDirectory } from "./key-directory.ts"
import { AgentNumbers } from "./numbers.ts"

export interface Identities {
  readonly numbers: AgentNumbers
  readonly directory: Directory
  readonly judge: Judge
  readonly ownDirectory: OwnDirectory
}

export const identitiesOf = (bus: Bus, config: EdgeConfig): Identities => {
  const { hub, serverPublicKey } = config
  const numbers = new AgentNumbers(bus)
  return {
    numbers,
    directory: new Directory(bus, hub.limits.identity.directory_max_age_seconds),
    judge: judgeOf(bus, numbers, { baseUrl: hub.baseUrl, hosts: hub.hosts }),
    ownDirectory: new OwnDirectory(bus, serverPublicKey)
  }
}
