/** The mark of a log whose messages are done in any order. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { Progress } from "../../../actors/reactions/progress.ts"

const logs = fc
  .uniqueArray(fc.record({ gap: fc.integer({ min: 1, max: 9 }), counts: fc.boolean(), order: fc.nat(1000) }), {
    maxLength: 30,
    selector: ({ order }) => order
  })
  .map((entries) => {
    let seq = 0
    return entries.map(({ gap, counts, order }) => ({ seq: (seq += gap), counts, order }))
  })

test("is behind everything that is done, and never behind anything that is not", () => {
  fc.assert(
    fc.property(logs, (log) => {
      const progress = new Progress(0)
      for (const { seq, counts } of log) {
        if (counts) progress.begin(seq)
        else progress.pass(seq)
      }
      const done = new Set(log.filter(({ counts }) => !counts).map(({ seq }) => seq))
      let passed = 0
      const check = () => {
        const first = log.findIndex(({ seq }) => !done.has(seq))
        const behind = first === -1 ? log : log.slice(0, first)
        expect(progress.mark).toBe(behind.at(-1)?.seq ?? 0)
        expect(progress.underWay).toBe(log.slice(behind.length).filter(({ counts }) => counts).length)
        passed += progress.takePassed()
        expect(passed).toBe(behind.filter(({ counts }) => counts).length)
      }
      check()
      for (const { seq } of log.filter(({ counts }) => counts).toSorted((a, b) => a.order - b.order)) {
        done.add(seq)
        progress.done(seq)
        check()
      }
    })
  )
})
