/** The keys of human accounts, which seal people's own data (log/erasable-keys.ts). */
import type { NatsConnection } from "@nats-io/transport-node"
import { unavailable } from "../../schemas/errors.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { ErasableKeys } from "../log/erasable-keys.ts"
import { Sealer } from "../log/seal.ts"

export class AccountKeys extends ErasableKeys {
  constructor(nats: NatsConnection, seed: Uint8Array) {
    super(nats, new Sealer(seed, "hub account keys"), {
      stream: streams.people,
      subjectOf: subjects.accountKey,
      purposeOf: (human) => `account ${human}`,
      use: "hub account",
      unreachable: unavailable("This person's data cannot be opened at the moment. It is safe to try again.")
    })
  }
}
