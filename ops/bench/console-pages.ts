/**
 * Visits the pages of the operators' console over the log of a community, and measures the time from the request to the
 * end of the answer. For the page of the cluster, the time ends with its first figures.
 */
import { streams } from "../../schemas/subjects.ts"
import { agentNumber } from "../../schemas/signing/identity.ts"
import { askLink } from "../cli/ask-link.ts"
import type { Service } from "../cli/connection.ts"
import { AGENTS, type Community } from "./community.ts"

const VISITS = 9
const PROBLEM = 'class="problem"'

type Page = readonly [name: string, path: string]

const searchFor = (text: string): string => `/search?q=${encodeURIComponent(text)}`
const explained = (reference: string): string => `/explain/${encodeURIComponent(reference)}`

/** The id of the request that a commit belongs to. */
const requestAt = async ({ manager }: Service, seq: number): Promise<string> => {
  const found = await manager.direct.getMessage(streams.events, { seq })
  return found?.json<{ readonly id: string }>().id.split(".")[0] ?? ""
}

const pagesOf = async (view: Service, community: Community): Promise<ReadonlyArray<Page>> => {
  const { agents, last, thread, post, reply, report } = community
  const [busy = "", suspended = ""] = agents
  const ordinary = agents[AGENTS / 2] ?? ""
  const [early, middle] = [Math.round(last / 10), Math.round(last / 2)]
  return [
    ["cluster", "/"],
    ["moderation: 500 reports and 100 appeals wait", "/moderation"],
    ["moderation: a report", `/moderation/report/${report}`],
    ["moderation: an agent", `/moderation/agent/${suspended}`],
    ["moderation: a post", `/moderation/content/post/${post}`],
    ["moderation: a reply", `/moderation/content/reply/${reply}`],
    ["actor: an agent", `/actor/agent/${ordinary}`],
    ["actor: the agent with 10,000 notifications", `/actor/agent/${busy}`],
    ["actor: the same at its first commit", `/actor/agent/${busy}?at=1`],
    ["actor: a thread", `/actor/thread/${thread}`],
    ["actor: a post", `/actor/post/${post}`],
    ["actor: a reply", `/actor/reply/${reply}`],
    ["actor: a report", `/actor/report/${report}`],
    ["explain: the last commit", explained(`#${last}`)],
    ["explain: a commit in the middle", explained(`#${middle}`)],
    ["explain: an early commit", explained(`#${early}`)],
    ["explain: a late request", explained(await requestAt(view, last - 1000))],
    ["explain: a request in the middle", explained(await requestAt(view, middle))],
    ["explain: an early request", explained(await requestAt(view, early))],
    ["explain: an actor", explained(`thread/${thread}`)],
    ["search: a handle", searchFor(`bench-${AGENTS / 2}`)],
    ["search: a number", searchFor(agentNumber(AGENTS / 2))],
    ["search: a hub id", searchFor(ordinary)],
    ["search: an id of any kind", searchFor(String(thread))],
    ["search: nothing of that name", searchFor("nobody-of-this-name")]
  ]
}

class Visitor {
  private readonly url: string
  private cookie = ""

  constructor(url: string) {
    this.url = url
  }

  async enter(link: string): Promise<void> {
    const answer = await fetch(link, { redirect: "manual" })
    this.cookie = answer.headers
      .getSetCookie()
      .map((one) => one.split(";")[0] ?? "")
      .join("; ")
  }

  /** The text of a page. If the search redirects to another page, that page's time counts too. */
  async text(path: string): Promise<string> {
    const answer = await fetch(this.url + path, { headers: { cookie: this.cookie } })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`)
    return text
  }

  /** Resolves when the page of the cluster has its first figures. */
  async looked(): Promise<void> {
    const ending = new AbortController()
    const answer = await fetch(`${this.url}/events?page=%2F`, {
      headers: { cookie: this.cookie },
      signal: ending.signal
    })
    const decoder = new TextDecoder()
    let seen = ""
    for await (const part of answer.body ?? []) {
      seen += decoder.decode(part, { stream: true })
      if (seen.includes('"verdict":{') || seen.includes('"/verdict"')) break
    }
    ending.abort()
  }
}

const at = (sorted: ReadonlyArray<number>, share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)

/** `url` is the address of a console that gives one-time links. */
export const visitPages = async (
  view: Service,
  url: string,
  community: Community,
  say: (line: string) => void
): Promise<void> => {
  const visitor = new Visitor(url)
  await visitor.enter(await askLink(view.nats, "bench"))
  say("  first    median   slowest   of the pages, ms")
  const medians: Array<number> = []
  for (const [name, path] of await pagesOf(view, community)) {
    const took: Array<number> = []
    let text = ""
    for (let visit = 0; visit < VISITS; visit++) {
      const began = performance.now()
      text = await visitor.text(path)
      if (path === "/") await visitor.looked()
      took.push(performance.now() - began)
    }
    const sorted = took.toSorted((one, other) => one - other)
    medians.push(sorted[Math.floor(VISITS / 2)] ?? 0)
    const told = text.includes(PROBLEM) ? "  (it names a problem)" : ""
    say(
      `${(took[0] ?? 0).toFixed(0).padStart(7)} ${at(sorted, 0.5).padStart(9)} ${at(sorted, 1).padStart(9)}   ${name}${told}`
    )
  }
  say(
    `the median of the medians: ${at(
      medians.toSorted((one, other) => one - other),
      0.5
    )} ms`
  )
}
