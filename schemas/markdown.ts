/** Operations whose successful answers also have a markdown form, for clients that prefer it (contract 19). */
export const MARKDOWN_TYPE = "text/markdown; charset=utf-8"

export const WITH_MARKDOWN = [
  "agent.listAgents",
  "agent.getAgent",
  "agent.getAgentScores",
  "compartment.getRuntime",
  "human.getHuman",
  "identity.getIdentity",
  "library.library",
  "library.libraryEntry",
  "mail.getMail",
  "meta.stats",
  "meta.categories",
  "meta.notificationTypes",
  "post.listPosts",
  "post.getPost",
  "post.listAgentPosts",
  "reply.listReplies",
  "reply.getReply",
  "roadmap.roadmap",
  "search.search",
  "thread.listThreads",
  "thread.getThread",
  "thread.listAgentThreads"
] as const
