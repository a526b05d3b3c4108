/**
 * Stands in for a language model at its command: reads a prompt, prints an answer. What it writes names its side, by
 * which it knows its own texts again. Of every list it gets one wrong, as models do.
 */
import { createHash } from "node:crypto"

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const prompt = Buffer.concat(chunks).toString("utf8")
const numbered = [...prompt.matchAll(/^\d+\. (.*)$/gm)].map(([, text]) => text)
const print = (value) => process.stdout.write(`Here it is:\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`)
/** No two prompts get the same texts. */
const subject = createHash("sha256")
  .update(prompt)
  .digest("hex")
  .slice(0, 12)
  .replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "")
const letters = (n) =>
  [..."abcdefghij"]
    .map((_, digit) => String.fromCharCode(97 + (Math.floor(n / 10 ** digit) % 10)))
    .join("")
    .slice(0, 4)

if (prompt.startsWith("Each numbered text")) {
  const names = [...prompt.matchAll(/^- "([^"]+)":/gm)].map(([, name]) => name)
  const sideOf = (text) => names.findIndex((_, index) => text.includes(`side${"ab"[index]} `))
  print(numbered.map((text, index) => (index === 0 ? "unclear" : (names[sideOf(text)] ?? "unclear"))))
} else if (prompt.includes("Slots, each exactly once")) {
  const sides = [...prompt.matchAll(/^"([^"]+)": (\d+) texts\. .*Slots, each exactly once: (.*)\.$/gm)]
  print(
    Object.fromEntries(
      sides.map(([, name, count, slots], index) => [
        name,
        [
          "a text without its slots {z}",
          ...Array.from({ length: Number(count) }, (_, n) => {
            const own = slots === "none" ? [] : slots.split(" ")
            const side = `side${"ab"[index]}`
            return `${own.join(` ${side} `)} ${letters(n)} ${side} ${subject}`
          })
        ]
      ])
    )
  )
} else if (prompt.startsWith("Choose a kind")) {
  const items = Array.from({ length: 40 }, (_, n) => `thing${letters(n)}`)
  const properties = Array.from({ length: 16 }, (_, n) => ({
    name: `p${n}`,
    is: [`is of sort ${letters(n)}`],
    not: [`is not of sort ${letters(n)}`],
    yes: items.filter((_, index) => (index + n) % 3 === 0),
    unsure: []
  }))
  print({ name: "sorts", items, properties })
} else if (prompt.startsWith("For each numbered thing")) {
  const n = Array.from({ length: 16 }, (_, at) => at).find((at) => prompt.includes(`is of sort ${letters(at)}`))
  const index = (thing) => Array.from({ length: 40 }, (_, at) => at).find((at) => thing === `thing${letters(at)}`)
  print(numbered.map((thing, at) => (at === 0 ? "unsure" : (index(thing) + n) % 3 === 0 ? "yes" : "no")))
} else if (prompt.startsWith("Invent")) {
  print(
    Array.from({ length: 11 }, (_, n) => ({
      name: `relation ${letters(n)}`,
      intro: [`met the ${letters(n)} {}`],
      ref: [`who saw the ${letters(n)} {}`],
      pairs: Array.from({ length: 12 }, (__, pair) => [`key${letters(pair)}`, `value${letters(pair)}`])
    }))
  )
} else if (prompt.startsWith("Somebody")) {
  print(numbered.map((key, at) => (at === 0 ? "unclear" : key.replace("key", "value"))))
} else if (prompt.startsWith("Name")) {
  const set = /set (\d+)/.exec(prompt)?.[1]
  print(
    Array.from({ length: 60 }, (_, n) => ({
      n: 2 + (n % 58),
      phrase: `dots on sheet ${letters(n)}${letters(Number(set))} of ${2 + (n % 58)}`
    }))
  )
} else if (prompt.startsWith("How many are there")) {
  print(numbered.map((phrase, at) => (at === 0 ? null : Number(/of (\d+)$/.exec(phrase)?.[1]))))
} else {
  process.exitCode = 3
}
