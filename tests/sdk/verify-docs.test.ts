/**
 * The page for website owners says what the verifier does: every option with its default, every reason, code that is
 * code.
 */
import { stripTypeScriptTypes } from "node:module"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as kit from "../../edge/sdk/verify.ts"

const page = readFileSync(new URL("../../edge/docs/verify.md", import.meta.url), "utf8")
const parts = new URL("../../edge/sdk/verify/", import.meta.url)
const source = readdirSync(parts)
  .map((name) => readFileSync(new URL(name, parts), "utf8"))
  .join("\n")

const options = [
  ...(/export interface VerifierOptions \{([\s\S]*?)\n\}/.exec(source)?.[1] ?? "").matchAll(/readonly (\w+)\??:/g)
].map((match) => match[1] ?? "")
const defaults = [...source.matchAll(/positive\("(\w+)", options\.\w+, ([\d_]+)\)/g)].map(
  (match) => [match[1] ?? "", (match[2] ?? "").replaceAll("_", "")] as const
)
const blocks = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map((match) => match[1] ?? "")

describe("the page about verifying agents", () => {
  it("finds what it is compared with", () => {
    expect(options).toHaveLength(17)
    expect(defaults).toHaveLength(8)
    expect(blocks.length).toBeGreaterThan(3)
    expect(page.split("\n").length).toBeLessThanOrEqual(150)
  })

  it.each(options)("has option %s in its table", (name) => {
    expect(page).toMatch(new RegExp(`^\\| [^|]*\`${name}\`[^|]* \\|`, "m"))
  })

  it.each(defaults)("says that %s is %s", (name, value) => {
    expect(page).toContain(`| \`${name}\` | ${value} |`)
  })

  it.each([...kit.REASONS, ...kit.CLIENT_REASONS])("says what %s means", (reason) => {
    expect(page).toMatch(new RegExp(`^\\| [^|]*\`${reason}\`[^|]* \\|`, "m"))
  })

  it.each(blocks)("shows code that is code: %j", (block) => {
    expect(stripTypeScriptTypes(block)).toBe(block)
    const imported = [...block.matchAll(/import \{([^}]*)\} from "\.\/verify\.js"/g)].flatMap((match) =>
      (match[1] ?? "").split(",").map((name) => name.trim())
    )
    expect(imported.filter((name) => !Object.hasOwn(kit, name))).toEqual([])
  })
})
