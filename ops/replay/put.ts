/** Tries a command on an exported history in the same way as the written test, that is with masked values. */
import type { LogEntry } from "../../actors/log/commit.ts"
import type { Fixture } from "./fixture.ts"
import type { Masker } from "./masks.ts"
import { DEFAULT_CONFIG, type WhatIf, whatIf, type WhatIfCommand } from "./what-if.ts"
import type { NodeKind } from "../../actors/process/kinds.ts"

export interface Exported {
  readonly fixture: Fixture
  /** The masker that was used for the fixture. */
  readonly masker: Masker
  /** The commit that really followed. */
  readonly next: LogEntry | undefined
}

export interface Put {
  readonly command: WhatIfCommand
  readonly decided: WhatIf
}

/** Decides the command at the time of the next commit, or now. */
export const putTo = (kind: NodeKind, { fixture, masker, next }: Exported, given: WhatIfCommand): Put => {
  const at = given.at ?? next?.commit.at ?? Date.now()
  const command = masker.mask({ ...given, at })
  const past = { kind, id: fixture.id, entries: fixture.commits, until: null }
  return { command, decided: whatIf(past, command, DEFAULT_CONFIG) }
}
