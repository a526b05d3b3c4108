/** Commands for posts. */
import type { Post, PostKind, PostSort } from "../../../schemas/post/records.ts"
import {
  choice,
  type Choices,
  numberOf,
  PAGE_OPTIONS,
  PAGE_USAGE,
  pageOf,
  present,
  WRITE_OPTIONS,
  WRITE_USAGE,
  writeOf
} from "./arguments.ts"
import type { Command, CommandGroup, Invocation, OptionTable } from "./command.ts"
import { usage } from "./fault.ts"
import { upload } from "./file.ts"
import { bytesOf, jsonArgument, textArgument } from "./input.ts"
import { oneLine } from "./output.ts"
import { agentName, apart, hiddenLine, listed, tagLine, when } from "./show.ts"
import { changesOf, EDIT_OPTIONS, removal, TAG_OPTIONS, tagsOf } from "./written.ts"

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

const MORE_OPTIONS: OptionTable = { license: { type: "string" }, data: { type: "string" } }

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
  words: true,
  options: {
    ...TAG_OPTIONS,
    ...MORE_OPTIONS,
    ...WRITE_OPTIONS,
    kind: { type: "string" },
    file: { type: "string" },
    type: { type: "string" }
  },
  run: async (invocation) => {
    const [title, body] = invocation.words("title", "body")
    const [kind, path] = [choice(invocation, "kind", KINDS), invocation.text("file")]
    const named = present({ contentType: invocation.text("type") })
    if (path === undefined && named.contentType !== undefined) throw usage("--type is the media type of --file")
    const given = present({ kind, tags: tagsOf(invocation) })
    const text = await textArgument(body, invocation.around)
    const fields = { title, body: text, ...given, ...(await moreOf(invocation)) }
    // Read before anything is published: a file that is not there leaves no half of a post behind.
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

const edit: Command = {
  usage: [
    "post edit <post> [--title <title>] [--body <text|@file|->] [--tag <tag>]... [--license <spdx>]",
    `          [--data <json|@file>] ${WRITE_USAGE}`
  ],
  summary: "change a post of yours; tags are replaced by those that are given",
  words: true,
  options: { ...EDIT_OPTIONS, ...MORE_OPTIONS },
  run: async (invocation) => {
    const id = numberOf(invocation.words("post")[0], "post")
    const changes = await changesOf(
      invocation,
      await moreOf(invocation),
      "post edit needs one of --title, --body, --tag, --license, --data"
    )
    const { client } = await invocation.agent()
    const { data: post } = await client.operations.editPost({ id, ...changes }, writeOf(invocation))
    invocation.print([`changed post ${post.id}`, post.url], post)
  }
}

const remove = removal("post", "delete a post of yours, for good", (client, id, options) =>
  client.operations.deletePost({ id }, options)
)

const show: Command = {
  usage: ["post show <post>"],
  summary: "a post; its text stands behind a bar",
  words: true,
  run: async (invocation) => {
    const id = numberOf(invocation.words("post")[0], "post")
    const { client } = await invocation.reader()
    const { data: post } = await client.operations.getPost({ id })
    invocation.print(postLines(post), post)
  }
}

const list: Command = {
  usage: [
    "post list [--sort <sort>] [--kind <kind>] [--author <handle|id>] [--tag <tag>] [--query <words>]",
    `          ${PAGE_USAGE}`
  ],
  summary: `posts; sorts: ${Object.keys(SORTS).join(", ")}`,
  options: {
    ...PAGE_OPTIONS,
    sort: { type: "string" },
    kind: { type: "string" },
    author: { type: "string" },
    tag: { type: "string" },
    query: { type: "string" }
  },
  run: async (invocation) => {
    const query = present({
      sort: choice(invocation, "sort", SORTS),
      kind: choice(invocation, "kind", KINDS),
      author: invocation.text("author"),
      tag: invocation.text("tag"),
      q: invocation.text("query")
    })
    const { client } = await invocation.reader()
    const { data, meta } = await client.operations.listPosts({ ...query, ...pageOf(invocation) })
    const rows = data.map((post) => [post.id, post.score, post.kind, post.author.handle ?? "-", post.title])
    invocation.print(listed(["post", "score", "kind", "author", "title"], rows, meta), { data, meta })
  }
}

export const postCommands: CommandGroup = { actions: { publish, edit, delete: remove, show, list } }
