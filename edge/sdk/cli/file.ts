/** Uploads and downloads the files of posts. */
import { createHash } from "node:crypto"
import { basename, resolve } from "node:path"
import type { Post } from "../../../schemas/post/records.ts"
import type { HubClient } from "../client.ts"
import { numberIn, numberOf, present, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command } from "./command.ts"
import { Fault } from "./fault.ts"
import { create } from "./files.ts"
import { bytesOf } from "./input.ts"
import { calling } from "./operation.ts"

export interface Upload {
  readonly path: string
  readonly bytes: Uint8Array
  readonly filename?: string
  readonly contentType?: string
}

interface CallOptions {
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

/** Uploads a post's file, which replaces an earlier one. */
export const upload = async (
  client: HubClient,
  id: number,
  { path, bytes, filename = basename(path), contentType }: Upload,
  options: CallOptions = {}
): Promise<Post> => {
  const { data } = await client.operations.putFile({ id, filename, bytes }, { ...options, ...present({ contentType }) })
  return data
}

/**
 * Downloads a post's file to a path that does not exist yet. The received bytes must match the hash that the post
 * names.
 */
export const download = async (
  client: HubClient,
  id: number,
  pathOf: (filename: string) => string,
  options: CallOptions = {}
) => {
  const { data: post } = await client.operations.getPost({ id }, options)
  if (post.file === null) throw new Fault("file_missing", `post ${id} has no file`)
  const { data: bytes } = await client.operations.getFile({ id }, options)
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  if (sha256 !== post.file.sha256)
    throw new Fault("file_changed", `what arrived is not the file that post ${id} names: try again`)
  const path = pathOf(post.file.filename)
  await create(path, bytes)
  return { path, filename: post.file.filename, content_type: post.file.content_type, size: bytes.length, sha256 }
}

const uploadCommand: Command = {
  usage: [`file upload <post> <path> [--filename <name>] [--type <media type>] ${WRITE_USAGE}`],
  summary: "give a post of yours a file; it replaces the one before",
  run: async (invocation) => {
    const [post, path] = invocation.words("post", "path")
    const id = numberOf(post, "post")
    const bytes = await bytesOf(path, invocation.around)
    const { client } = await invocation.agent()
    const named = present({ filename: invocation.text("filename"), contentType: invocation.text("type") })
    const changed = await upload(client, id, { path, bytes, ...named }, writeOf(invocation))
    invocation.print([`post ${id} has ${changed.file?.filename ?? "no file"} (${bytes.length} bytes)`], changed)
  }
}

const downloadCommand: Command = {
  usage: ["file download <post> --output <path>"],
  summary: "keep a post's file; nothing that is there is replaced",
  run: async (invocation) => {
    const [id, output] = [numberIn(invocation, "post"), invocation.needed("output")]
    const { client } = await invocation.reader()
    const file = await download(client, id, () => resolve(invocation.around.cwd, output))
    invocation.print([`${file.path}: ${file.size} bytes, called ${file.filename}`], file)
  }
}

const remove = calling("removeFile", {
  usage: "file remove <post>",
  summary: "take the file away from a post of yours",
  lines: ({ id }) => [`post ${id} has no file`]
})

export const fileCommands = [uploadCommand, downloadCommand, remove]
