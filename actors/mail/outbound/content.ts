/** Reads the sealed content to be sent from the store of blobs. */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Schema } from "effect"
import { piecesOf } from "../../../schemas/blob/operations.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { SendJob } from "../../../schemas/mail/sending-operations.ts"
import { SentContent } from "../../../schemas/mail/sent.ts"
import { openBytes } from "../../../schemas/secret/bytes.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { requestStream } from "../../log/requests.ts"

const TIMEOUT_MS = 5000

const notRead = unavailable("The message to send cannot be read at the moment.")

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(SentContent))

const pieceOf = async (nats: NatsConnection, sha256: string, piece: number): Promise<Uint8Array> => {
  const address = `$JS.API.DIRECT.GET.${streams.blobs}.${subjects.blob(sha256, String(piece))}`
  const { data } = await requestStream(nats, address, undefined, { timeout: TIMEOUT_MS })
  if (data.length === 0) throw new Error("a piece is not there")
  return data
}

export const contentOf = (
  nats: NatsConnection,
  { content: { sha256, size }, key }: Pick<SendJob, "content" | "key">
): Effect.Effect<SentContent, Refusal> =>
  Effect.tryPromise({
    try: async () => {
      const pieces: Array<Uint8Array> = []
      for (let piece = 0; piece < piecesOf(size); piece++) pieces.push(await pieceOf(nats, sha256, piece))
      return decode(Buffer.from(openBytes(Buffer.concat(pieces), key)).toString("utf8"))
    },
    catch: () => notRead
  })
