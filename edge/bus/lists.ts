/**
 * Lists from the read models. An edge passes their items on without parsing them, because texts by strangers may be
 * megabytes.
 *
 * Invariant: the records of lists under way are divided into shares of clients (edge/http/shares.ts), so that no client
 * uses all connections to Postgres. A list counts until its answer is sent, or until it must be requested again.
 */
import { Effect } from "effect"
import type { Queries, QueryName } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Paged } from "../../schemas/operation.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { Shares } from "../http/shares.ts"
import type { Bus } from "./bus.ts"
import { isCrowded } from "./query-places.ts"

export type ListName = {
  readonly [Name in QueryName]: Queries[Name] extends {
    readonly input: { readonly per_page: number }
    readonly output: Paged<unknown>
  }
    ? Name
    : never
}[QueryName]

export interface ListPage {
  /** The items as a JSON array. */
  readonly items: Uint8Array
  readonly total: number
  /** Set if the list is empty and must be requested again, with this number as `until` (edge/message/settled.ts). */
  readonly held?: number
}

const tooMany: Refusal = {
  code: "overloaded",
  message: "You have too many lists under way at once. Ask for fewer at a time, or for shorter pages.",
  retryAfter: 1
}

/** True if the request was refused because the client has its share of lists, or of queries, under way. */
export const isTooMany = (refused: Refused): boolean => refused.refusal === tooMany || isCrowded(refused)

export class Lists {
  private readonly bus: Bus
  private readonly records: Shares

  constructor(bus: Bus, { service }: Limits) {
    this.bus = bus
    this.records = new Shares(service.max_listed_records, service.max_client_listed_records)
  }

  page<View extends ListName>(call: Call, view: View, input: Queries[View]["input"]): Effect.Effect<ListPage, Refused> {
    return Effect.suspend(() => {
      const amount = input.per_page
      if (!this.records.take(call, amount)) return Effect.fail(refuse(tooMany))
      let isTaken = true
      const give = (): void => {
        if (isTaken) this.records.give(call, amount)
        isTaken = false
      }
      call.lent.push(give)
      return Effect.tap(listed(this.bus, call, view, input), ({ held }) =>
        held === undefined ? Effect.void : Effect.sync(give)
      )
    })
  }
}

/**
 * Reads a list outside of the clients' shares, for requests that are held until there is something to read
 * (edge/notification/held.ts).
 */
export const listed = <View extends ListName>(
  bus: Bus,
  call: Call,
  view: View,
  input: Queries[View]["input"]
): Effect.Effect<ListPage, Refused> => Effect.map(bus.queryBytes(call, view, input), readListed)

const HEAD_MAX_BYTES = 64
const HEAD = /^\{"total":(\d{1,15}),"items":\[/

/**
 * Reads `Paged` without a JSON parser, if its members have the order in which the actors' side writes them. In any
 * other order it is parsed as JSON.
 */
export const readListed = (bytes: Uint8Array): ListPage => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const head = HEAD.exec(text.subarray(0, HEAD_MAX_BYTES).toString("latin1"))
  if (head === null) {
    const { items, total, held } = JSON.parse(text.toString("utf8")) as Paged<unknown> & Pick<ListPage, "held">
    const list = { items: Buffer.from(JSON.stringify(items)), total }
    return held === undefined ? list : { ...list, held }
  }
  return { items: bytes.subarray(head[0].length - 1, -1), total: Number(head[1]) }
}
