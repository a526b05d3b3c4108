/** Nothing of the machine it was written on, and no secret, stands in the project's files. */
import { describe, expect, it } from "vitest"
import { textOf, trackedFiles } from "./tracked.ts"

/** Folders in which somebody's own files lie. Put together here, or this file would hold what it looks for. */
const HOMES = ["home", "root", "work", "Users", "workspace", "mnt"].map((name) => `/${name}/`)

const RULES: Readonly<Record<string, RegExp>> = {
  "a path of one machine": new RegExp(`(?<![\\w.@/$}-])(${HOMES.join("|")})[\\w.-]`),
  "the address of a package registry or a mirror":
    /\bhttps?:\/\/[^\s/"'`$]*(registry|npmjs|npmmirror|artifactory|verdaccio|jfrog|pypi|deb\.debian)/i,
  "a registry in a configuration": /^\s*(?:@[\w-]+:)?registry\s*=/m,
  "a private key": /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s*\n[A-Za-z0-9+/=]{20}/,
  "a password in an address": /\b(?:nats|postgres|postgresql|https?):\/\/[^\s:@/"'`$<>]+:[0-9a-f]{20,}@/
}

const BINARY = /\.(png|jpg|jpeg|gz|ico)$/
const files = trackedFiles().filter((file) => !BINARY.test(file))

/** Each rule must find this, or it finds nothing. */
const EXAMPLES: Readonly<Record<string, string>> = {
  "a path of one machine": `see ${HOMES[0]}ada/hub`,
  "the address of a package registry or a mirror": ["https:/", "registry.example", "effect"].join("/"),
  "a registry in a configuration": ["registry", "somewhere"].join("="),
  "a private key": ["-----BEGIN", "PRIVATE", "KEY-----\nMC4CAQAwBQYDK2VwBCIEIAAB"].join(" "),
  "a password in an address": `postgres://hub:${"0a".repeat(12)}@127.0.0.1/hub`
}

describe("tracked files", () => {
  it("are found", () => {
    expect(files.length).toBeGreaterThan(200)
  })

  it.each(Object.entries(RULES))("hold nowhere %s", (name, rule) => {
    expect(EXAMPLES[name]).toMatch(rule)
    const found = files.flatMap((file) => {
      const match = rule.exec(textOf(file))
      return match === null ? [] : [`${file}: ${match[0].slice(0, 80)}`]
    })
    expect(found).toEqual([])
  })

  it("of npm say nothing of where the packages were taken from", () => {
    expect(files.filter((file) => /(^|\/)\.(npmrc|yarnrc.*)$/.test(file))).toEqual([".npmrc"])
    expect(
      textOf(".npmrc")
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
    ).toEqual(["ignore-scripts=true"])
    expect(textOf("package-lock.json")).not.toContain('"resolved"')
  })

  it("of the lock hold a checksum for every package", () => {
    const { packages } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, { integrity?: string }> }
    expect(
      Object.entries(packages)
        .filter(([path, entry]) => path !== "" && !/^sha(256|384|512)-/.test(entry.integrity ?? ""))
        .map(([path]) => path)
    ).toEqual([])
  })
})
