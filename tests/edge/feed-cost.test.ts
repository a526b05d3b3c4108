/** What writing a feed costs the others that an edge serves, whatever is in it (contract 21). */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { ATOM } from "../../edge/feed/atom.ts"
import { KEPT_MAX_BYTES } from "../../edge/feed/feeds.ts"
import { JSON_FEED } from "../../edge/feed/json-feed.ts"
import { FEED_ENTRIES, FEED_TEXT_CHARS } from "../../schemas/feed/records.ts"
import { cpuMsOf, HANG_CPU_MS, turnsDuring } from "../support/cost.ts"
import { about, FEED_PARTS, feedOf, FORMS, newCall, world, writing } from "../support/costly/feeds.ts"

it.each(FEED_PARTS)("fifty texts of %j hold nobody up", async (part) => {
  for (const form of FORMS) {
    const feed = writing(part, form)
    expect(await turnsDuring(feed.prepare(FEED_TEXT_CHARS)), form.contentType).toBeGreaterThan(FEED_ENTRIES)
    expect(await cpuMsOf(feed.prepare(FEED_TEXT_CHARS)), form.contentType).toBeLessThan(HANG_CPU_MS)
  }
})

it("a feed that stands as it stood is written once, by however many it is asked for", async () => {
  const { asked, feeds } = world(feedOf("lorem *ipsum* "))
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => Effect.runPromise(feeds.serve(newCall(), about, JSON_FEED)))
  )
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  expect(asked.filter((view) => view === "feed").length).toBe(1)
})

it("no more than so many wait for a feed to be written", async () => {
  const { feeds } = world(feedOf("a "))
  const abouts = Array.from({ length: 100 }, (_, n) => ({ ...about, title: `Feed ${n}` }))
  const outcomes = await Promise.all(
    abouts.map((one) =>
      Effect.runPromise(
        Effect.match(feeds.serve(newCall(), one, JSON_FEED), {
          onSuccess: () => "served",
          onFailure: ({ refusal }) => refusal.code
        })
      )
    )
  )
  expect(outcomes.filter((one) => one === "served").length).toBe(56)
  expect(outcomes.filter((one) => one === "overloaded").length).toBe(44)
})

it("the largest feed fits in what is kept", async () => {
  const { asked, feeds } = world(feedOf('"'))
  const first = await Effect.runPromise(feeds.serve(newCall(), about, ATOM))
  expect(Number(first.headers["content-length"])).toBeLessThan(KEPT_MAX_BYTES / 2)
  const second = await Effect.runPromise(feeds.serve(newCall(), about, ATOM))
  expect([second.body === first.body, asked.filter((view) => view === "feed").length]).toEqual([true, 1])
})
