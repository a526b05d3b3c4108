/**
 * The actors' side of the bus, played by a test: takes frames of asks on a real nats-server, owns every shard, and
 * answers as the test says. What it was asked is kept.
 */
import { jetstreamManager } from "@nats-io/jetstream"
import { Kvm } from "@nats-io/kv"
import type { NatsConnection } from "@nats-io/transport-node"
import { type Ask, encodeHead, packReplies, type ReplyHead, unpackAsks } from "../../schemas/bus/frames.ts"
import { nodeKey, shardKey } from "../../schemas/runtime/bus/lease-view.ts"
import type { QueryName, QueryReply } from "../../schemas/bus/operations.ts"
import { buckets, SHARD_COUNT, subjects } from "../../schemas/subjects.ts"
import { connectTo } from "../harness/index.ts"

type Reply = { readonly data: unknown; readonly head?: ReplyHead } | { readonly head: ReplyHead } | "silence"
export type Answering = (ask: Ask) => Reply | Promise<Reply>

const encoder = new TextEncoder()

export class WireNode {
  readonly asks: Array<Ask> = []
  readonly session: string
  private readonly nats: NatsConnection
  private readonly operations = new Map<string, Answering>()
  private readonly queries = new Map<string, (input: unknown) => QueryReply<unknown>>()

  private constructor(nats: NatsConnection, session: string) {
    this.nats = nats
    this.session = session
  }

  static async start(url: string, session = "s1"): Promise<WireNode> {
    const nats = await connectTo(url)
    const node = new WireNode(nats, session)
    nats.subscribe(subjects.node(session, "*"), {
      callback: (_error, message) => {
        for (const { number, ask } of unpackAsks(message.data)) void node.take(number, ask, message.reply ?? "")
      }
    })
    nats.subscribe(subjects.query("*"), {
      callback: (_error, message) => {
        const view = message.subject.slice(subjects.query("").length)
        const answer = node.queries.get(view)
        if (answer !== undefined) message.respond(encoder.encode(JSON.stringify(answer(JSON.parse(message.string())))))
      }
    })
    await nats.flush()
    return node
  }

  /** Makes the bucket where it is missing and takes every shard but one, where one is named. */
  async claim(except?: number): Promise<void> {
    await jetstreamManager(this.nats, { timeout: 60_000 })
    const kv = await new Kvm(this.nats).create(buckets.leases, { history: 1 })
    await kv.put(nodeKey(this.session), "")
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard).filter((shard) => shard !== except)
    await Promise.all(shards.map((shard) => kv.put(shardKey(shard), this.session)))
  }

  on(op: string, answering: Answering): void {
    this.operations.set(op, answering)
  }

  onQuery(view: QueryName, answer: (input: unknown) => QueryReply<unknown>): void {
    this.queries.set(view, answer)
  }

  asked(op: string): ReadonlyArray<Ask> {
    return this.asks.filter((ask) => ask.op === op)
  }

  forget(): void {
    this.asks.length = 0
  }

  async stop(): Promise<void> {
    await this.nats.drain()
  }

  private async take(number: number, ask: Ask, to: string): Promise<void> {
    this.asks.push(ask)
    const answering = this.operations.get(ask.op)
    const reply =
      answering === undefined
        ? ({ head: { refused: { code: "not_found", message: `no ${ask.op} here` } } } as const)
        : await answering(ask)
    if (reply === "silence") return
    const body = "data" in reply ? encoder.encode(JSON.stringify(reply.data)) : new Uint8Array(0)
    this.nats.publish(to, packReplies([{ number, head: encodeHead(reply.head ?? {}), body }]))
  }
}
