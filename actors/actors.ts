/** Every actor kind of the service: a new one is a folder and a line here. */
import { agentKind } from "./agent/actor.ts"
import { categoryKind } from "./category/actor.ts"
import { deliveryKind } from "./delivery/actor.ts"
import { handleKind } from "./handle/actor.ts"
import { keyKind } from "./key/actor.ts"
import type { Kind } from "./kind.ts"
import { limitKind } from "./limit/actor.ts"
import { numberKind } from "./number/actor.ts"
import { originKind } from "./origin/actor.ts"
import { challengeKind } from "./registration/actor.ts"
import { serviceKind } from "./service/actor.ts"

export const KINDS: ReadonlyArray<Kind> = [
  agentKind,
  keyKind,
  handleKind,
  numberKind,
  categoryKind,
  deliveryKind,
  originKind,
  limitKind,
  challengeKind,
  serviceKind
]
