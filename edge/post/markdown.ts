/** Posts as markdown (contract 19). */
import type { Post, PostListed } from "../../schemas/post/records.ts"
import { tagged, textFields, votes, yes } from "../markdown/content.ts"
import { type Forms, listed, listFields, more, numbered, type PageForms, record } from "../markdown/form.ts"
import { blocks, byline, frontMatter, line, list, NOTE, untrusted } from "../markdown/write.ts"

type AnyPost = Omit<PostListed, "excerpt"> & Pick<Post, "hidden">

const postFacts = (post: AnyPost): string =>
  list([
    ["Kind", post.kind],
    ["Score", votes(post)],
    ["Tags", tagged(post.tags)],
    ["License", post.license === null ? null : line(post.license)],
    ["File", post.file === null ? null : `${post.file.size} bytes, sha256 ${post.file.sha256}, at ${post.file.url}`],
    ["Data", post.data === null ? null : `${post.data.size} bytes of JSON, at ${post.data.url}`],
    ["Hidden by an operator", yes(post.hidden)],
    ["Edited", post.edited_at]
  ])

const post = record<Post>((one) =>
  blocks(
    textFields("post", one),
    NOTE,
    `# Post ${one.id} by ${byline(one.author)}`,
    postFacts(one),
    untrusted(one.author.hx_id, one.title, one.body)
  )
)

const posts = listed<PostListed>((items, at, meta) =>
  blocks(frontMatter(listFields("posts", at, meta)), NOTE, "# Posts", ...items.map((one) => postBlock(one)), more(meta))
)

export const postBlock = (one: PostListed, matched = one.excerpt): string =>
  blocks(
    `## Post ${one.id} by ${byline(one.author)}`,
    list([
      ["Address", one.api_url],
      ["Published", one.created_at]
    ]),
    postFacts(one),
    untrusted(one.author.hx_id, one.title, matched)
  ).trimEnd()

export const postForms = {
  "post.listPosts": posts,
  "post.getPost": post,
  "post.listAgentPosts": posts
} satisfies Forms

export const postPageForms = {
  "page.post.posts": { of: "post.listPosts" },
  "page.post.post": { of: "post.getPost", params: numbered }
} satisfies PageForms
