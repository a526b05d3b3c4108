/** What needs no kernel: names, addresses, and the firewall's text. */
import { describe, expect, it } from "vitest"
import { addressesOf, freeBlock, takenByRoutes } from "../../actors/runtime/network/subnet.ts"
import { overlaps, parsePrefix } from "../../actors/runtime/network/ipv4.ts"
import { PRIVATE, REASONS, rulesText, type RuleSettings } from "../../actors/runtime/network/rules.ts"
import { linesOf } from "../../actors/runtime/network/table.ts"
import { namesOf, tagOf } from "../../actors/runtime/network/tag.ts"

const INTERFACE_NAME_MAX = 15

const settings: RuleSettings = {
  names: namesOf("ab12"),
  addresses: addressesOf("10.213.4.0/23"),
  max: 2,
  egressKbit: 20_480,
  servicePort: 8080,
  masquerade: true
}
const text = rulesText(settings)
const chain = (name: string): ReadonlyArray<string> =>
  (new RegExp(`chain ${name} \\{\n([^}]*)\n  \\}`).exec(text.replaceAll(/\{ ([^}\n]*) \}/g, "( $1 )"))?.[1] ?? "")
    .split("\n")
    .map((line) => line.trim())

describe("names", () => {
  it("are another deployment's in another folder, and the same for the same folder", () => {
    expect(tagOf("/srv/hub/runtime")).toMatch(/^[0-9a-f]{4}$/)
    expect(tagOf("/srv/hub/runtime/")).toBe(tagOf("/srv/hub/runtime"))
    expect(tagOf("/srv/hub2/runtime")).not.toBe(tagOf("/srv/hub/runtime"))
  })

  it("fit into what the kernel allows for devices", () => {
    const { bridge, service, probe, outside } = namesOf("ffff")
    for (const name of [bridge(63), service, probe.bridge, probe.device, outside.device])
      expect(name.length).toBeLessThanOrEqual(INTERFACE_NAME_MAX)
  })
})

describe("addresses", () => {
  it("give each slot a /30 of its own", () => {
    const { slot, slots } = addressesOf("10.213.4.0/23")
    expect(slot(0)).toEqual({ subnet: "10.213.4.0/30", gateway: "10.213.4.1", address: "10.213.4.2" })
    expect(slot(63)).toEqual({ subnet: "10.213.4.252/30", gateway: "10.213.4.253", address: "10.213.4.254" })
    const all = Array.from({ length: 64 }, (_, index) => parsePrefix(slot(index).subnet))
    for (const [at, one] of all.entries()) {
      expect(overlaps(one, parsePrefix(slots))).toBe(true)
      for (const other of all.slice(at + 1)) expect(overlaps(one, other)).toBe(false)
    }
  })

  it("keep what is ours apart from slots", () => {
    const { slots, service, probe, beyond, foreign } = addressesOf("10.213.254.0/23")
    for (const one of [service, probe.subnet, beyond.subnet, foreign])
      expect(overlaps(parsePrefix(slots), parsePrefix(one))).toBe(false)
  })

  it("are not where a route or an address of the host is", () => {
    const first = freeBlock("0002", [])
    expect(first).toBe("10.213.4.0/23")
    expect(freeBlock("0002", [parsePrefix("10.213.5.77")])).toBe("10.213.6.0/23")
    expect(freeBlock("0002", [parsePrefix("10.213.0.0/21"), parsePrefix("10.213.9.0/24")])).toBe("10.213.10.0/23")
    expect(freeBlock("007f", [parsePrefix("10.213.254.0/24")])).toBe("10.213.0.0/23")
    expect(() => freeBlock("0002", [parsePrefix("10.0.0.0/8")])).toThrow(/no free subnet/)
  })

  it("may be where a default route leads, also one in the two halves of a VPN", () => {
    const routes = ["default", "0.0.0.0/1", "128.0.0.0/1", "10.213.4.0/24"].map((dst) => ({ dst }))
    expect(takenByRoutes(routes)).toEqual([parsePrefix("10.213.4.0/24")])
    expect(freeBlock("0002", takenByRoutes(routes))).toBe("10.213.6.0/23")
  })
})

describe("the firewall's text", () => {
  it("replaces our table whole", () => {
    expect(text.split("\n").slice(0, 3)).toEqual([
      "table inet hub_ab12 {}",
      "delete table inet hub_ab12",
      "table inet hub_ab12 {"
    ])
  })

  it("says what compartments may do", () => {
    expect({ arrive: chain("arrive"), input: chain("input"), forward: chain("forward"), towards: chain("towards") })
      .toMatchInlineSnapshot(`
        {
          "arrive": [
            "type filter hook prerouting priority raw; policy accept;",
            "iifname != "hbab12c*" accept",
            "meta nfproto != ipv4 goto refuse_ipv6",
            "iifname . ip saddr != @own goto refuse_spoofed",
            "meta l4proto != ( icmp, tcp, udp ) goto refuse_protocol",
            "add @pace ( ip saddr limit rate over 2560000 bytes/second burst 512 kbytes ) goto refuse_pace",
          ],
          "forward": [
            "type filter hook forward priority filter - 10; policy accept;",
            "iifname "hbab12c*" oifname "hbab12c*" goto refuse_neighbour",
            "oifname "hbab12c*" meta nfproto != ipv4 goto refuse_ipv6",
            "oifname "hbab12c*" goto towards",
            "iifname != "hbab12c*" accept",
            "ip daddr @private goto refuse_private",
            "tcp dport 25 goto refuse_mail",
            "ct state new add @connections ( ip saddr ct count over 1024 ) goto refuse_crowd",
          ],
          "input": [
            "type filter hook input priority filter - 10; policy accept;",
            "iifname != ( "hbab12c*", "lo" ) ip daddr 10.213.5.1 goto refuse_outsider",
            "iifname != "hbab12c*" accept",
            "ct state new add @connections ( ip saddr ct count over 1024 ) goto refuse_crowd",
            "ip daddr 10.213.5.1 udp dport 10053 add @questions ( ip saddr limit rate over 20/second burst 100 packets ) goto refuse_crowd",
            "ip daddr 10.213.5.1 udp dport 10053 accept",
            "ip daddr 10.213.5.1 tcp dport 10053 ct state new add @lookups ( ip saddr ct count over 4 ) goto refuse_crowd",
            "ip daddr 10.213.5.1 tcp dport 10053 accept",
            "ip daddr 10.213.5.1 tcp dport 8080 accept",
            "goto refuse_host",
          ],
          "towards": [
            "ct state established ct direction reply accept",
            "ct state related meta l4proto icmp accept",
            "goto refuse_inbound",
          ],
        }
      `)
  })

  it("bars every range that is not public", () => {
    expect(PRIVATE.length).toBe(13)
    expect(text).toMatch(/set private .* 168\.63\.129\.16\/32,/)
    for (const range of PRIVATE)
      expect(text).toMatch(new RegExp(`set private .*[ ]${range.replaceAll(".", "\\.")}[, ]`))
  })

  it("ends every refusal with a drop that is counted", () => {
    for (const reason of REASONS) expect(chain(`refuse_${reason}`).at(-1)).toBe(`counter name "no_${reason}" drop`)
    const goals = new Set([...text.matchAll(/goto refuse_(\w+)/g)].map((match) => match[1]))
    expect([...goals].toSorted()).toEqual([...REASONS].toSorted())
  })

  it("opens the way to the service and changes addresses only where that is wanted", () => {
    expect(chain("input")).toContain("ip daddr 10.213.5.1 tcp dport 8080 accept")
    expect(rulesText({ ...settings, servicePort: null })).not.toContain("8080")
    expect(rulesText({ ...settings, masquerade: false })).not.toContain("10.213.4.0/24")
    // What the rules are tried from is on no network of an engine.
    expect(rulesText({ ...settings, masquerade: false })).toContain("ip saddr { 10.213.5.4/30 } masquerade")
  })
})

describe("listings", () => {
  const listing = (...things: ReadonlyArray<object>): string => JSON.stringify({ nftables: things })

  it("are the same whatever traffic has left in them", () => {
    const before = listing(
      { counter: { name: "no_host", handle: 1, packets: 0, bytes: 0 } },
      { set: { name: "connections", handle: 2 } },
      { set: { name: "own", handle: 3, elem: ["b", "a"] } }
    )
    const after = listing(
      { counter: { name: "no_host", handle: 7, packets: 9, bytes: 900 } },
      { set: { name: "connections", handle: 8, elem: ["10.213.4.2"] } },
      { set: { name: "own", handle: 9, elem: ["a", "b"] } }
    )
    expect(linesOf(after)).toEqual(linesOf(before))
  })

  it("differ where a rule or an element differs", () => {
    const own = (...elem: ReadonlyArray<string>): ReadonlyArray<string> =>
      linesOf(listing({ set: { name: "own", elem } }))
    expect(own("a")).not.toEqual(own("a", "b"))
    const rule = (...expr: ReadonlyArray<object>): ReadonlyArray<string> =>
      linesOf(listing({ rule: { handle: 1, expr } }))
    expect(rule({ drop: null })).not.toEqual(rule({ accept: null }))
  })
})
