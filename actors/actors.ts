/** Every actor kind of the service: a new one is a folder and a line here. */
import type { NatsConnection } from "@nats-io/transport-node"
import type { Answer } from "../schemas/bus/asker.ts"
import type { Ask } from "../schemas/bus/frames.ts"
import type { HubConfig } from "../schemas/config.ts"
import { agentActor } from "./agent/actor.ts"
import { LastSeen } from "./agent/seen.ts"
import { categoryActor } from "./category/actor.ts"
import { nextNumber } from "./engine/counters.ts"
import type { ActorDefinition } from "./engine/definition.ts"
import type { NonceLog } from "./engine/nonces.ts"
import type { EventLog } from "./engine/ports.ts"
import { Sealer } from "./engine/seal.ts"
import { handleActor } from "./handle/actor.ts"
import { idempotencyOperations } from "./idempotency/operations.ts"
import { keyActor, type KeyClaim } from "./key/actor.ts"
import { limitActor } from "./limit/actor.ts"
import { originActor } from "./origin/actor.ts"
import { registrationActor } from "./registration/actor.ts"

export interface KindParts {
  readonly nats: NatsConnection
  readonly config: Pick<HubConfig, "env" | "limits" | "baseUrl" | "captchaBypass" | "name">
  readonly seed: Uint8Array
  readonly log: EventLog
  readonly nonces: NonceLog
  readonly ask: (ask: Ask) => Promise<Answer>
  readonly claimOf: (key: string) => Promise<KeyClaim | null>
}

export const actorKinds = (parts: KindParts): ReadonlyArray<ActorDefinition> => {
  const { nats, config, log, ask } = parts
  const production = config.env === "production"
  return [
    agentActor({
      nonces: parts.nonces,
      limits: config.limits,
      claimOf: parts.claimOf,
      lastSeen: new LastSeen(nats),
      baseUrl: config.baseUrl,
      production,
      idempotency: idempotencyOperations(nats, config.limits)
    }),
    keyActor(),
    handleActor(),
    categoryActor(),
    originActor(config.limits),
    limitActor(nats, config.limits),
    registrationActor({
      rules: { limits: config.limits, production, captchaBypass: config.captchaBypass, baseUrl: config.baseUrl, ownName: config.name },
      sealer: new Sealer(parts.seed),
      log,
      ask,
      nextAgentNumber: () => nextNumber(nats, "agent")
    })
  ] as ReadonlyArray<unknown> as ReadonlyArray<ActorDefinition>
}
