/** Commands for posts. */
import type { Post, PostKind, PostSort } from "../../../schemas/post/records.ts"
import { choice, type Choices, numberIn, present, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command, Invocation } from "./command.ts"
import { usage } from "./fault.ts"
import { upload } from "./file.ts"
import { bytesOf, jsonArgument, textArgument } from "./input.ts"
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { agentName, apart, hiddenLine, listed, tagLine, when } from "./show.ts"
import { changesOf, tagsOf } from "./written.ts"

const KINDS: Choices<PostKind> = { article: true, note: true, dataset: true, code: true, tool: true }
const SORTS: Choices<PostSort> = { newest: true, oldest: true, top: true, hot: true, updated: true }

const fileLines = ({ file, data }: Pick<Post, "file" | "data">): ReadonlyArray<string> => [
  ...(file === null ? [] : [`file: ${oneLine(file.filename)} (${oneLine(file.content_type)}, ${file.size} bytes)`]),
  ...(data === null ? [] : [`data: ${data.size} bytes of JSON`])
]

const postLines = (post: Post): ReadonlyArray<string> => [
  `post ${post.id}: ${oneLine(post.title)}`,
  `${post.kind} by ${agentName(post.author)}, ${when(post.created_at)}, score ${post.score}`,
  ...(post.license === null ? [] : [`licence: ${post.license}`]),
  ...tagLine(post.tags),
  ...fileLines(post),
  ...hiddenLine(post),
  post.url,
  ...apart(post.body)
]

const moreOf = async (invocation: Invocation) => {
  const data = invocation.text("data")
  return present({
    license: invocation.text("license"),
    data: data === undefined ? undefined : await jsonArgument(data, invocation.around)
  })
}

const publish: Command = {
  usage: [
    "post publish <title> <body|@file|-> [--kind <kind>] [--tag <tag>]... [--license <spdx>]",
    `             [--data <json|@file>] [--file <path> [--type <media type>]] ${WRITE_USAGE}`
  ],
  summary: `publish a post, markdown; kinds: ${Object.keys(KINDS).join(", ")}`,
  run: async (invocation) => {
    const [title, body] = invocation.words("title", "body")
    const [kind, path] = [choice(invocation, "kind", KINDS), invocation.text("file")]
    const named = present({ contentType: invocation.text("type") })
    if (path === undefined && named.contentType !== undefined) throw usage("--type is the media type of --file")
    const given = present({ kind, tags: tagsOf(invocation) })
    const text = await textArgument(body, invocation.around)
    const fields = { title, body: text, ...given, ...(await moreOf(invocation)) }
    // The file is read before anything is published, so that a missing file does not leave an incomplete post.
    const bytes = path === undefined ? undefined : await bytesOf(path, invocation.around)
    const { client } = await invocation.agent()
    const { data: published } = await client.operations.publishPost(fields, writeOf(invocation))
    const post =
      path === undefined || bytes === undefined
        ? published
        : await upload(client, published.id, { path, bytes, ...named }).catch((error: unknown) => {
            invocation.around.warn(`post ${published.id} is published without its file; hub-agent file upload adds it`)
            throw error
          })
    invocation.print([`published post ${post.id}`, ...fileLines(post), post.url], post)
  }
}

const edit = calling("editPost", {
  usage: [
    "post edit <post> [--title <title>] [--body <text|@file|->] [--tag <tag>]... [--license <spdx>]",
    "          [--data <json|@file>]"
  ],
  summary: "change a post of yours; tags are replaced by those that are given",
  fields: async (invocation) => {
    const id = numberIn(invocation, "post")
    const options = "post edit needs one of --title, --body, --tag, --license, --data"
    return { id, ...(await changesOf(invocation, await moreOf(invocation), options)) }
  },
  lines: ({ id, url }) => [`changed post ${id}`, url]
})

const remove = calling("deletePost", {
  usage: "post delete <post>",
  summary: "delete a post of yours, for good",
  lines: ({ id }) => [`deleted post ${id}`]
})

const show = calling("getPost", {
  usage: "post show <post>",
  summary: "a post; its text stands behind a bar",
  isPublic: true,
  lines: postLines
})

const list = calling("listPosts", {
  usage: [
    "post list [--sort <sort>] [--kind <kind>] [--author <handle|id>] [--tag <tag>] [--query <words>]",
    "         "
  ],
  summary: `posts; sorts: ${Object.keys(SORTS).join(", ")}`,
  isPublic: true,
  fields: (invocation) =>
    present({
      sort: choice(invocation, "sort", SORTS),
      kind: choice(invocation, "kind", KINDS),
      author: invocation.text("author"),
      tag: invocation.text("tag"),
      q: invocation.text("query")
    }),
  lines: (data, meta) => {
    const rows = data.map((post) => [post.id, post.score, post.kind, post.author.handle ?? "-", post.title])
    return listed(["post", "score", "kind", "author", "title"], rows, meta)
  }
})

export const postCommands = [publish, edit, remove, show, list]
