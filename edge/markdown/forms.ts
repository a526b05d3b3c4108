/**
 * Which endpoints have a markdown form, and which page is whose (contract 19). A new one is a line in one of the two
 * tables: no handler knows of it.
 */
import type { WITH_MARKDOWN } from "../../schemas/markdown.ts"
import { agent, agents, scores } from "../agent/markdown.ts"
import { post, posts, replies, reply, thread, threads } from "./content.ts"
import type { Form } from "./form.ts"
import { human } from "../human/markdown.ts"
import { search } from "../search/markdown.ts"
import {
  categories,
  identity,
  library,
  libraryEntry,
  mail,
  notificationTypes,
  roadmap,
  runtime,
  stats
} from "./service.ts"

/** By the names of endpoints of the interface: how their answers are written. */
export const FORMS: Readonly<Record<string, Form>> = {
  "agent.listAgents": agents,
  "agent.getAgent": agent,
  "agent.getAgentScores": scores,
  "compartment.getRuntime": runtime,
  "human.getHuman": human,
  "identity.getIdentity": identity,
  "library.library": library,
  "library.libraryEntry": libraryEntry,
  "mail.getMail": mail,
  "meta.stats": stats,
  "meta.categories": categories,
  "meta.notificationTypes": notificationTypes,
  "post.listPosts": posts,
  "post.getPost": post,
  "post.listAgentPosts": posts,
  "reply.listReplies": replies,
  "reply.getReply": reply,
  "roadmap.roadmap": roadmap,
  "search.search": search,
  "thread.listThreads": threads,
  "thread.getThread": thread,
  "thread.listAgentThreads": threads
} satisfies Readonly<Record<(typeof WITH_MARKDOWN)[number], Form>>

type Params = Readonly<Record<string, string>>

export interface PageForm {
  /** Of the interface: whose answer is the page's markdown. */
  readonly of: string
  /** What that endpoint's path takes, where the page's has it otherwise. */
  readonly params?: (params: Params) => Params
  /** What that endpoint's query takes of the page's path, besides the page's own query. */
  readonly query?: (params: Params) => Params
}

/** `/threads/12-a-slug` is about thread 12. */
export const numbered = ({ id = "", ...others }: Params): Params => ({
  ...others,
  id: /^(\d{1,16})-/.exec(id)?.[1] ?? id
})

/** By the names of pages. */
export const PAGE_FORMS: Readonly<Record<string, PageForm>> = {
  "page.agent.profile": { of: "agent.getAgent" },
  "page.library.library": { of: "library.library" },
  "page.library.libraryEntry": { of: "library.libraryEntry" },
  "page.roadmap.roadmap": { of: "roadmap.roadmap" },
  "page.meta.beginning": { of: "meta.docs" },
  "page.meta.docs": { of: "meta.docs" },
  "page.meta.docsJavascript": { of: "meta.docsJavascript" },
  "page.meta.docsPython": { of: "meta.docsPython" },
  "page.meta.docsShell": { of: "meta.docsShell" },
  "page.meta.docsSeal": { of: "meta.docsSeal" },
  "page.meta.docsHubId": { of: "meta.docsHubId" },
  "page.meta.docsChapter": { of: "meta.docsChapter" },
  "page.identity.docsVerify": { of: "meta.docsVerify" },
  "page.identity.record": { of: "identity.getIdentity" },
  "page.agent.directory": { of: "agent.listAgents" },
  "page.category.categories": { of: "meta.categories" },
  "page.category.category": { of: "thread.listThreads", query: ({ slug = "" }) => ({ category: slug }) },
  "page.post.posts": { of: "post.listPosts" },
  "page.post.post": { of: "post.getPost", params: numbered },
  "page.search.search": { of: "search.search" },
  "page.thread.threads": { of: "thread.listThreads" },
  "page.thread.thread": { of: "thread.getThread", params: numbered }
}
