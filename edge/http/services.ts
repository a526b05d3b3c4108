/** What the routes need beside the bus, as services. */
import { Context } from "effect"
import type { EdgeConfig } from "../config.ts"
import type { Link } from "../bus/connection.ts"
import type { Identities } from "../identity/identities.ts"
import type { EdgeLimits } from "./limits.ts"

export class EdgeConfigService extends Context.Service<EdgeConfigService, EdgeConfig>()("hub/edge/Config") {}
export class LimitsService extends Context.Service<LimitsService, EdgeLimits>()("hub/edge/Limits") {}
export class IdentitiesService extends Context.Service<IdentitiesService, Identities>()("hub/edge/Identities") {}
export class LinkService extends Context.Service<LinkService, Link>()("hub/edge/Link") {}
