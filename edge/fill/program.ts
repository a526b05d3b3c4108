/** The code that runs in a page, as text: the sources of `page/` without their types, in one scope. */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"

/** Ordered so that each part follows the parts that it uses. */
const PARTS = ["look", "scan", "act", "money", "captcha", "sent"] as const
const CALLABLE = [
  "scan",
  "holds",
  "enter",
  "leave",
  "choose",
  "pointOf",
  "insert",
  "unfill",
  "isVisible",
  "isLoaded",
  "ownOrigin",
  "captchaZone",
  "zonePoint",
  "scrolled",
  "throughFrame",
  "moneyLines",
  "beforeSending",
  "hasTaken",
  "isEmptied"
] as const
export type InPage = (typeof CALLABLE)[number]

const EXPORT = /^export /gm

const partOf = (name: string): string =>
  stripTypeScriptTypes(readFileSync(new URL(`page/${name}.ts`, import.meta.url), "utf8"))
    .split("\n")
    .filter((line) => !line.startsWith("import "))
    .join("\n")
    .replace(EXPORT, "")

/** The value of this program is an object of functions. Only the isolated world that evaluates it can reach them. */
export const PROGRAM = `(() => {
const names = () => ({ ${CALLABLE.join(", ")} })
${PARTS.map((name) => `/* ${name} */\n${partOf(name)}`).join("\n")}
return names()
})()`
