import { createHash } from "node:crypto"
import { dictionary } from "@zxcvbn-ts/language-common"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { passwordProblem } from "../../../edge/human/password-policy.ts"
import { cpuMsOf, GROWTH_MAX, growthOf, HANG_CPU_MS } from "../../support/cost.ts"
import { HARD, marks, PERSON, TOO_LONG } from "../../support/costly/passwords.ts"

const ADA = { email: "ada.byron+hub@mail.analytical-engines.co.uk", name: "Ada Lovelace" }
const ruleOf = (password: string, person = ADA) => passwordProblem(password, person)?.rule ?? null

/** Letters, digits and signs by chance: no word comes of it. */
const RANDOM = fc
  .record({ seed: fc.nat(), length: fc.integer({ min: 14, max: 43 }) })
  .map(({ seed, length }) => createHash("sha256").update(`${seed}`).digest("base64url").slice(0, length))

describe("a password's length", () => {
  it.each([
    ["Tr0ub4dor", "length"],
    ["Tr0ub4dor&", null],
    ["kX9-wq3Zr7Lp".padEnd(200, "Qv7_"), null],
    ["kX9-wq3Zr7Lp".padEnd(201, "Qv7_"), "length"],
    // A character is a code point, however many units it takes.
    ["🐎🔋🧷🌵🪕🎷🧭🛶🪁", "length"],
    ["🐎🔋🧷🌵🪕🎷🧭🛶🪁🥁", null],
    // Counted in the form that is hashed, whatever a keyboard sends (contract 22).
    ["kX9-wq3Zr7Lp".padEnd(200, "\u1ec7\u0151").normalize("NFD"), null],
    ["kX9-wq3Zr7Lp".padEnd(201, "\u1ec7\u0151").normalize("NFD"), "length"],
    ["kX9-wq3Zr7Lp".padEnd(190, "\ufdfa"), "length"],
    // In the form that is hashed these are six characters, and one that stands for eighteen is one that is typed.
    ["e\u0301o\u0301u\u0301xkq", "length"],
    ["\ufdfa", "length"],
    ["", "length"]
  ])("%j: %s", (password, rule) => {
    expect(ruleOf(password)).toBe(rule)
  })

  it("is all that is looked at in one that is too long", async () => {
    expect(ruleOf(marks(TOO_LONG.length))).toBe("length")
    expect(await growthOf(TOO_LONG)).toBeLessThan(GROWTH_MAX)
  })

  it("within bounds is no reason: random text is let through", () => {
    fc.assert(fc.property(RANDOM, (password) => ruleOf(password) === null))
  })
})

describe("a common password", () => {
  it.each([
    "1234567890",
    "qwertyuiop",
    "Password123",
    "password!!!!",
    "***password***",
    "P@ssw0rd2024!",
    "$unshine2024!",
    "1loveyou2024",
    "pässwörd1234",
    "ｐａｓｓｗｏｒｄ１２",
    "p.a.s.s.w.o.r.d",
    "passwordpassword",
    "hunter2hunter2",
    "dragon-dragon-",
    "aaaaaaaaaaaa",
    "!!!!!!!!!!!!",
    "abababababab",
    "😀".repeat(12),
    "\ufdfa".repeat(11),
    "abcdefghijklmno",
    "zyxwvutsrqponm",
    "0987654321098",
    "asdfghjklzxcvb"
  ])("%j is one", (password) => {
    expect(ruleOf(password)).toBe("common")
  })

  it.each(["correct horse battery staple", "blue-window-42", "Tr0ub4dor&3x", "Mein Hund heißt Rex", "x1928374650"])(
    "%j is none",
    (password) => {
      expect(ruleOf(password)).toBeNull()
    }
  )

  it("is each of the commonest ten thousand, in any case, with digits and signs around it", () => {
    const common = fc.constantFrom(...dictionary["passwords-common"].slice(0, 10_000).filter((one) => one.length >= 4))
    const ornament = fc.string({ unit: fc.constantFrom(..."0123456789!?-_.*# "), minLength: 3, maxLength: 8 })
    const cased = fc.infiniteStream(fc.boolean())
    fc.assert(
      fc.property(common, ornament, ornament, cased, (word, before, after, upper) => {
        const typed = [...word].map((char) => (upper.next().value === true ? char.toUpperCase() : char)).join("")
        // Of a word with digits at its end they cannot be told from those that were put there: it is itself alone.
        const password = /^[a-z].*[a-z]$/.test(word) ? before + typed + after : typed
        fc.pre([...password].length >= 10)
        expect(ruleOf(password)).toBe("common")
      }),
      { numRuns: 1000 }
    )
  })
})

describe("a password with what is known of its owner", () => {
  it.each([
    "Lovelace-77-x",
    "x l.o.v.e.l.a.c.e",
    "L0vel4ce!!!q",
    "qq ecalevoL 7",
    "my-ada-lovelace",
    "AdaLovelace1815",
    "bYrOn-and-she",
    "ada.byron+hub",
    "buhnoryb,ada!",
    "AnalyticalEngines!7",
    "analytical-engines",
    "ada.byron+hub@mail.analytical-engines.co.uk",
    "l.analytical.e"
  ])("%j is refused", (password) => {
    expect(ruleOf(password)).toBe("personal")
  })

  it("is none by a part of less than four characters, or by what many have", () => {
    for (const password of ["ada-and-the-7-vans", "co.uk-mail-9-vans"]) expect(ruleOf(password)).toBeNull()
  })

  it("is found between the digits of an address or a name", () => {
    const person = { email: "grace1906@y.zz", name: "cobol60hopper" }
    for (const password of ["grace and the navy", "7 vans of Hopper"]) expect(ruleOf(password, person)).toBe("personal")
  })

  it("may be a part of a long name", () => {
    expect(ruleOf("nstein-oberg", { email: "x@y.zz", name: "Wolfenstein-Obergruber" })).toBe("personal")
  })

  it("is found in domains of other scripts, in either form", () => {
    const person = { email: "x@xn--bcherwurm-q9a.example", name: "X" }
    expect(ruleOf("Bücherwurm 9 vans", person)).toBe("personal")
    expect(ruleOf("bucherwurm 9 vans", person)).toBe("personal")
  })

  it.each(["", "@", "no address", "a@b", "@@@@@@@@", "x@[1.2.3.4]", "x@xn--\u0000"])(
    "stands an address as %j",
    (email) => {
      expect(ruleOf("blue-window-42", { email, name: "" })).toBeNull()
    }
  )

  it("is refused for each part of a name and an address, whatever stands around it", () => {
    const word = fc.stringMatching(/^[a-z]{4,12}$/)
    fc.assert(
      fc.property(word, word, word, RANDOM, fc.boolean(), (first, local, domain, rest, back) => {
        const person = { email: `${local}.x@${domain}.example`, name: `${first} X` }
        for (const part of [first, local, domain]) {
          const held = back ? [...part].toReversed().join("") : part.toUpperCase()
          expect(ruleOf(`${rest}-${held}-${rest}`, person)).toBe("personal")
        }
      })
    )
  })
})

describe("what is said", () => {
  it("names the rule, and nothing of the password, the name or the address", () => {
    for (const password of ["Tr0ub4dor", "password!!!!", "Lovelace-77-x", "kX9-wq3Zr7\ud800"]) {
      const problem = passwordProblem(password, ADA)
      expect(problem?.message).toMatch(/^password /)
      expect(problem?.message).not.toMatch(/Tr0ub|!!!!|lovelace|byron|analytical|kX9/i)
    }
    expect(ruleOf("kX9-wq3Zr7\ud800")).toBe("characters")
  })
})

describe("the time it takes", () => {
  it.each(HARD)("has an end, case %#", async (password) => {
    expect(await cpuMsOf(() => passwordProblem(password, PERSON))).toBeLessThan(HANG_CPU_MS)
  })

  it("has an end for whatever 200 characters", async () => {
    const any = fc.string({ unit: "binary", minLength: 100, maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(any, async (password) => (await cpuMsOf(() => passwordProblem(password, PERSON))) < HANG_CPU_MS),
      { numRuns: 50 }
    )
  })
})
