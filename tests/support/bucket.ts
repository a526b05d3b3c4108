/**
 * A stand-in for S3 that speaks its protocol: objects by path, with ranges, checksums and lists. It can be told to
 * fail.
 */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Bucket {
  readonly url: string
  readonly objects: Map<string, Buffer>
  /** The results of the next requests: a status, or a closed connection. */
  readonly faults: Array<number | "cut">
  readonly stop: () => Promise<void>
}

const LISTED_MAX = 1000

const rangeIn = (header: string | undefined, size: number): readonly [number, number] => {
  const [, from = "0", to = String(size - 1)] = /^bytes=(\d+)-(\d+)$/.exec(header ?? "") ?? []
  return [Number(from), Math.min(Number(to), size - 1)]
}

export const openBucket = async (): Promise<Bucket> => {
  const objects = new Map<string, Buffer>()
  const faults: Array<number | "cut"> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "")
    const fault = faults.shift()
    if (fault === "cut") return request.socket.destroy()
    if (fault !== undefined) return response.writeHead(fault).end()
    if (request.method === "PUT") {
      const stated = request.headers["x-amz-checksum-sha256"]
      const is = createHash("sha256").update(body).digest("base64")
      if (stated !== is || request.headers.authorization === undefined) return response.writeHead(400).end()
      objects.set(path, body)
      return response.writeHead(200).end()
    }
    if (request.method === "DELETE") {
      objects.delete(path)
      return response.writeHead(204).end()
    }
    const { searchParams } = new URL(request.url ?? "", "http://bucket")
    if (searchParams.get("list-type") === "2") {
      const start = `${path.replace(/\/$/, "")}/`
      const names = [...objects.keys()].filter((one) => one.startsWith(start)).map((one) => one.slice(start.length))
      const found = names.filter((one) => one.startsWith(searchParams.get("prefix") ?? "")).toSorted()
      const listed = found.slice(0, LISTED_MAX).map((name) => `<Contents><Key>${name}</Key></Contents>`)
      return response.writeHead(200).end(`<ListBucketResult>${listed.join("")}</ListBucketResult>`)
    }
    const object = objects.get(path)
    if (object === undefined) return response.writeHead(404).end()
    if (request.method === "HEAD") return response.writeHead(200, { "content-length": object.length }).end()
    const [from, to] = rangeIn(request.headers.range, object.length)
    return response.writeHead(206).end(object.subarray(from, to + 1))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    faults,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
