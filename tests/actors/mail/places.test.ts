/** How networks share the connections and bytes of the SMTP server (actors/mail/inbound/places.ts; contract 22). */
import fc from "fast-check"
import { expect, test } from "vitest"
import { Places } from "../../../actors/mail/inbound/places.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const BOUNDS = { ...LIMITS.service.mail, ...LIMITS.limits.email }

const opened = (bounds: Partial<Record<keyof typeof BOUNDS, number>> = {}) => {
  const ended: Array<string> = []
  const places = new Places({ ...BOUNDS, ...bounds }, (id) => void ended.push(id))
  let count = 0
  /** Resolves to the connection's id, `null` if it got no place. */
  const from = (address: string): string | null => {
    const id = `${address} ${count++}`
    return places.take(id, address) ? id : null
  }
  return { places, ended, from }
}

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n)

test("an IPv6 /64 is one client, a /48 is bounded, and what ends gives its place back", () => {
  const { places, from } = opened()
  const of = (net: number, host: number): string => `2001:db8:7:${net.toString(16)}::${host.toString(16)}`
  const client = range(255).flatMap((host) => from(of(1, host)) ?? [])
  expect(client).toHaveLength(4)
  const wide = range(254).flatMap((n) => from(of(n + 2, 1)) ?? [])
  expect(wide).toHaveLength(28)
  const others = [from("2001:db8:8::1")]
  for (const n of range(4)) others.push(from(n % 2 === 0 ? "192.0.2.1" : "::ffff:192.0.2.1"))
  expect(from("192.0.2.1")).toBeNull()
  others.push(from("192.0.2.2"))
  expect(others).not.toContain(null)
  places.give(client[0] ?? "")
  others.push(from(of(255, 9)))
  for (const id of [...client.slice(1), ...wide, ...others]) places.give(id ?? "")
  expect(places.size).toBe(0)
})

test("networks that hold all they can leave room for a message of another", () => {
  const { places, from } = opened()
  const network = (n: number, host: number): string => `2001:db8:${n.toString(16)}:${host.toString(16)}::1`
  const piece = LIMITS.limits.email.message_max_bytes / 100
  const held = range(4).flatMap((n) => range(32).flatMap((host) => from(network(n, host)) ?? []))
  for (const id of held) while (places.hold(id, piece));
  const other = from(network(9, 0)) ?? ""
  expect(places.hold(other, LIMITS.limits.email.message_max_bytes / 2)).toBe(true)
  for (const id of [...held, other]) places.give(id)
  expect(places.size).toBe(0)
})

test.each([
  ["64 addresses of as many /16", (n: number) => `${n + 1}.0.0.1`],
  ["a /24", (n: number) => `192.0.2.${n}`],
  ["a /16", (n: number) => `192.0.${n}.1`],
  ["a /32 of IPv6", (n: number) => `2001:db8:${n.toString(16)}::1`]
])("%s full of connections ends none of another network, and each other one gets its share", (_name, address) => {
  const { ended, from } = opened()
  const taken = range(64).flatMap((n) => range(4).map(() => from(address(n))))
  expect(taken).not.toContain(null)
  const others = range(4).map(() => from("198.51.100.1"))
  expect(others.filter((id) => id !== null).length).toBeGreaterThanOrEqual(2)
  expect(ended.every((id) => taken.includes(id))).toBe(true)
  // Whoever has ended comes again, and takes no place of the other.
  for (const n of range(64)) from(address(n))
  expect(ended.filter((id) => others.includes(id))).toEqual([])
})

test("a crowded network gives way within itself: its neighbor gets a place too", () => {
  const { ended, from } = opened({ connections_max: 8 })
  const crowd = range(8).map((n) => from(`10.0.0.${n}`))
  const neighbor = from("10.0.7.1")
  expect(neighbor).not.toBeNull()
  expect(ended).toEqual([crowd[0]])
})

test("within the fullest network the connection that made no progress for the longest time ends", () => {
  const { places, ended, from } = opened({ connections_max: 3 })
  const [a, b, c] = range(3).map(() => from("10.0.0.1"))
  places.progressed(a ?? "")
  places.keep(b ?? "")
  expect(from("10.9.0.1")).not.toBeNull()
  expect(ended).toEqual([c])
  places.progressed(b ?? "")
  expect(from("10.8.0.1")).not.toBeNull()
  expect(ended).toEqual([c, a])
})

test.each([
  ["/24", (n: number) => `192.0.2.${n}`],
  ["/16", (n: number) => `192.0.${n}.1`],
  ["/32 of IPv6", (n: number) => `2001:db8:${n.toString(16)}::1`]
])("complete messages of a %s leave three quarters of the places to others", (_name, address) => {
  const { places, ended, from } = opened()
  const crowd = range(64).flatMap((n) => range(4).map(() => from(address(n)) ?? ""))
  expect(crowd).not.toContain("")
  for (const id of crowd) places.begin(id)
  const kept = crowd.filter((id) => places.keep(id))
  expect(kept).toHaveLength(LIMITS.service.mail.connections_max / 4)
  const others = range(40).map((n) => from(`198.51.100.${n}`))
  expect(others).not.toContain(null)
  expect(ended.filter((id) => kept.includes(id))).toEqual([])
  for (const id of others) expect(places.keep(id ?? "")).toBe(true)
  const [first = "", next = ""] = [kept[0], crowd.find((id) => !kept.includes(id) && !ended.includes(id))]
  places.done(first)
  places.progressed(first)
  expect(places.keep(next)).toBe(true)
})

test("whatever comes and goes, no bound is passed and nothing stays", () => {
  const address = fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.1.1", "10.1.0.1", "11.0.0.1", "2001:db8::1", "?")
  const step = fc.tuple(fc.constantFrom("take", "give", "hold", "keep", "progressed"), address, fc.nat(40))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const bounds = { connections_max: 5, connections_per_client_max: 2, held_max_bytes: 100, message_max_bytes: 30 }
      const open = new Map<string, { kept: boolean; bytes: number }>()
      const places = new Places({ ...BOUNDS, ...bounds }, (id) => {
        expect(open.get(id)?.kept).toBe(false)
        open.delete(id)
      })
      for (const [index, [what, from, bytes]] of steps.entries()) {
        const [id = ""] = [...open.keys()].filter((one) => one.startsWith(`${from} `))
        const one = open.get(id)
        if (what === "take") {
          if (places.take(`${from} ${index}`, from)) open.set(`${from} ${index}`, { kept: false, bytes: 0 })
        } else if (what === "give") {
          places.give(id)
          open.delete(id)
        } else if (what === "hold") {
          if (places.hold(id, bytes) && one !== undefined) one.bytes += bytes
        } else if (what === "keep") {
          const isKept = places.keep(id)
          if (one !== undefined) one.kept ||= isKept
        } else {
          places.progressed(id)
          if (one !== undefined) one.kept = false
        }
        expect(open.size).toBeLessThanOrEqual(bounds.connections_max)
        expect(places.size).toBe(open.size)
        let held = 0
        for (const { bytes: own } of open.values()) held += own
        expect(held).toBeLessThanOrEqual(bounds.held_max_bytes)
      }
      for (const id of open.keys()) places.give(id)
      expect(places.size).toBe(0)
    })
  )
})
