/** Tags that end, as decisions and what they fold into (contract 20). */
import fc from "fast-check"
import { expect, test } from "vitest"
import { evolveMailbox, type MailboxState, type MailboxValue } from "../../../actors/mail/box/state.ts"
import {
  decideEndTag,
  decideMakeTag,
  generateTag,
  isGeneratedTag,
  isOver,
  markTag,
  openTag,
  sealTag
} from "../../../actors/mail/box/tags.ts"
import { Sealer } from "../../../actors/log/seal.ts"

const LIMITS = { tags_per_mailbox: 3, tags_chosen_max: 4 }
const SEALER = new Sealer(Buffer.alloc(32, 5), "mailbox")

const fresh = (): MailboxValue => {
  const opened = { agent: "a", local_part: "x", domain: "d.example", chosen: "c" }
  const state = evolveMailbox(null, { type: "mailbox.opened", v: 1, ...opened }, { at: 0 })
  if (state === null) throw new Error("none")
  return state
}

/** A mailbox that is asked like the real one. */
class Box {
  state: MailboxState = fresh()

  make(tag: string, seconds: number | null, at: number, agent = "a"): string {
    const facts = { mark: markTag(SEALER, tag), sealed: sealTag(SEALER, tag), drawn: isGeneratedTag(SEALER, tag) }
    return this.did(decideMakeTag(this.state, { agent, expires_in_seconds: seconds }, { at, facts }, LIMITS), at)
  }

  end(tag: string, at: number, agent = "a"): string {
    return this.did(decideEndTag(this.state, { agent }, { at, facts: markTag(SEALER, tag) }), at)
  }

  takes(tag: string, at: number): boolean {
    return this.state !== null && !isOver(this.state, SEALER, tag, at)
  }

  private did(decision: ReturnType<typeof decideEndTag> | ReturnType<typeof decideMakeTag>, at: number): string {
    if ("refused" in decision) return decision.refused.code
    for (const event of decision.events) this.state = evolveMailbox(this.state, event, { at })
    return "done"
  }
}

test("whatever is made and ended when, a tag takes mail just while it lasts, and other tags always", () => {
  const step = fc.record({
    what: fc.constantFrom("make", "end", "wait"),
    tag: fc.constantFrom("one", "two"),
    seconds: fc.option(fc.integer({ min: 1, max: 20 }))
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const box = new Box()
      const until = new Map<string, number>()
      let at = 0
      for (const { what, tag, seconds } of steps) {
        at += what === "wait" ? (seconds ?? 1) * 1000 : 1
        const lasts = (until.get(tag) ?? 0) > at
        if (what === "make") {
          expect(box.make(tag, seconds, at)).toBe("done")
          until.set(tag, seconds === null ? Infinity : at + seconds * 1000)
        } else if (what === "end") {
          expect(box.end(tag, at)).toBe(lasts ? "done" : "not_found")
          if (until.has(tag)) until.set(tag, Math.min(until.get(tag) ?? 0, at))
        }
        for (const [one, end] of until) {
          expect(box.takes(one, at)).toBe(end > at)
          expect(box.takes(`${one}+more`, at)).toBe(end > at)
        }
        expect(box.takes("never-made", at)).toBe(true)
      }
    })
  )
})

test("one that is drawn leaves nothing behind, and is refused all the same", () => {
  const box = new Box()
  for (let n = 0; n < 50; n++) {
    const tag = generateTag(SEALER)
    expect(tag).toMatch(/^[a-z0-9]{20}$/)
    expect(box.make(tag, 1, n * 10_000)).toBe("done")
    expect(box.takes(tag, n * 10_000 + 999)).toBe(true)
    expect(box.takes(tag, n * 10_000 + 1000)).toBe(false)
  }
  expect(box.state?.ended).toEqual([])
  expect(box.state?.tags.length).toBeLessThanOrEqual(1)
  const other = generateTag(new Sealer(Buffer.alloc(32, 6), "mailbox"))
  expect([isGeneratedTag(SEALER, other), box.takes(other, 1_000_000)]).toEqual([false, true])
})

test("there are so many at once, and so many are remembered; one that is there ends anew", () => {
  const box = new Box()
  for (const tag of ["a", "b", "c"]) expect(box.make(tag, 10, 0)).toBe("done")
  expect(box.make("d", 10, 0)).toBe("validation_error")
  expect(box.make("c", 20, 0)).toBe("done")
  expect([box.takes("c", 15_000), box.takes("b", 15_000)]).toEqual([true, false])
  expect(box.make("d", 10, 15_000)).toBe("done")
  expect(box.make("e", 10, 15_000)).toBe("validation_error")
  expect(box.make(generateTag(SEALER), 10, 15_000)).toBe("done")
  expect(box.make("a", 10, 15_000)).toBe("validation_error")
  expect(box.end("c", 15_000)).toBe("done")
  expect(box.make("a", 10, 15_000)).toBe("done")
  expect(box.takes("a", 15_001)).toBe(true)
})

test("what stands in the log says nothing of it, and nobody else makes or ends one", () => {
  const box = new Box()
  expect(box.make("shop-4711", null, 0)).toBe("done")
  expect(JSON.stringify(box.state)).not.toContain("shop-4711")
  expect(openTag(SEALER, box.state?.tags[0]?.sealed ?? "")).toBe("shop-4711")
  expect([box.make("x", 1, 0, "b"), box.end("shop-4711", 0, "b")]).toEqual(["not_found", "not_found"])
  box.state = evolveMailbox(box.state, { type: "mailbox.closed", v: 1, agent: "a" }, { at: 1 })
  expect([box.make("x", 1, 2), box.end("shop-4711", 2)]).toEqual(["not_found", "not_found"])
  expect(evolveMailbox(box.state, { type: "mailbox.erased", v: 1 }, { at: 3 })).toMatchObject({ tags: [], ended: [] })
})
