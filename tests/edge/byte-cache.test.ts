/** What is kept within a bound of bytes. */
import { expect, test } from "vitest"
import { ByteCache } from "../../edge/http/byte-cache.ts"

const cache = () => new ByteCache<Buffer>(10, ({ length }) => length)

test("never has more bytes than it may, and what is asked for stays", () => {
  const kept = cache()
  const there = (...names: ReadonlyArray<string>) => names.map((name) => kept.get(name) !== undefined)
  kept.set("a", Buffer.alloc(4))
  kept.set("b", Buffer.alloc(4))
  expect(kept.get("a")).toBeDefined()
  kept.set("c", Buffer.alloc(4))
  expect(there("a", "b", "c")).toEqual([true, false, true])
  kept.set("d", Buffer.alloc(11))
  expect(there("a", "c", "d")).toEqual([false, false, false])
})

test("has one of each name, and gives back the bytes of what is replaced or deleted", () => {
  const kept = cache()
  kept.set("a", Buffer.alloc(9))
  kept.set("a", Buffer.alloc(5))
  kept.set("b", Buffer.alloc(5))
  expect([kept.get("a")?.length, kept.get("b")?.length]).toEqual([5, 5])
  kept.delete("a")
  kept.delete("a")
  kept.set("c", Buffer.alloc(5))
  expect([kept.get("a"), kept.get("b")?.length, kept.get("c")?.length]).toEqual([undefined, 5, 5])
})
