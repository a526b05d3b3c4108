/** Reads archives for compartments from the blob store, which has them sealed. */
import type { NatsConnection } from "@nats-io/transport-node"
import type { Desired } from "../../schemas/compartment/operations.ts"
import { piecesOf } from "../../schemas/blob/operations.ts"
import { openBytes } from "../../schemas/secret/bytes.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { requestStream } from "../log/requests.ts"
import type { Boxes } from "./boxes.ts"
import type { Archive } from "./machine.ts"
import { Unusable } from "./reconciler.ts"

const TIMEOUT_MS = 5000

const pieceOf = async (nats: NatsConnection, sha256: string, piece: number): Promise<Uint8Array> => {
  const address = `$JS.API.DIRECT.GET.${streams.blobs}.${subjects.blob(sha256, String(piece))}`
  const { data } = await requestStream(nats, address, undefined, { timeout: TIMEOUT_MS })
  if (data.length === 0) throw new Unusable("the archive is not kept any more: send it again")
  return data
}

/** The name that is sealed in the box of an archive's key. */
const archiveName = (sha256: string): string => `archive ${sha256}`

export const archivesOver =
  (nats: NatsConnection, boxes: Boxes) =>
  async (compartment: string, { id, dest, blob, key }: Desired["uploads"][number]): Promise<Archive> => {
    const pieces: Array<Uint8Array> = []
    for (let piece = 0; piece < piecesOf(blob.size); piece++) pieces.push(await pieceOf(nats, blob.sha256, piece))
    try {
      const opened = openBytes(Buffer.concat(pieces), boxes.open(key, compartment, archiveName(blob.sha256)))
      return { id, dest, bytes: opened }
    } catch {
      throw new Unusable("the archive does not open under this service's HUB_RUNTIME_KEY: send it again")
    }
  }
