/** Names of secrets: what a program would not get under its name is refused before it is sealed. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { prototypeProblem, secretsProblem } from "../../edge/compartment/secrets.ts"
import { secretNameProblem } from "../../schemas/compartment/fields.ts"
import { LIMITS } from "../../schemas/limits.ts"

const KEPT =
  "BASH BASHPID BASH_ARGV0 BASH_VERSION COMPREPLY COMP_LINE COMP_WORDBREAKS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO OLDPWD OPTARG OPTERR OPTIND PIPESTATUS PPID PS1 PS2 PWD RANDOM REPLY SECONDS SHLVL SRANDOM UID"

const run = promisify(execFile)

/** As the first process of a compartment gives it to its program (actors/runtime/host/entry.ts). */
const GIVEN = `for name; do (export -- "$name=secret"; [ "$(/bin/bash -lc 'printenv -- "$0"; echo "\${!0}"' "$name")" = "secret
secret" ] || echo "$name"); done 2>/dev/null`

describe("a secret's name", () => {
  it.each(KEPT.split(" "))("is none that a shell keeps for itself: %s", (name) => {
    expect(secretNameProblem(name)).toBe("is one that a shell puts values of its own into")
    expect(secretsProblem({ [name]: "x" }, LIMITS.runtime)?.code).toBe("secret_name_invalid")
    // It may have been set before it was refused.
    expect(secretsProblem({ [name]: null }, LIMITS.runtime)).toBeNull()
  })

  it("is refused where this machine's shell loses it", async () => {
    const { stdout: known } = await run("/bin/bash", ["-c", "compgen -v"])
    const names = known.split("\n").filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name))
    const env = { HOME: "/nonexistent", PATH: "/usr/bin:/bin" }
    const { stdout: lost } = await run("/bin/bash", ["-c", GIVEN, "given", ...names], { env }).catch(
      (error: unknown) => error as { stdout: string }
    )
    const found = lost.split("\n").filter((name) => name !== "")
    expect(found).toContain("UID")
    expect(found.filter((name) => secretNameProblem(name) === null)).toEqual([])
  })

  it.each(["UIDS", "BASHFUL", "COMPANY", "RANDOM_SEED", "PSK", "HOSTNAME", "TOKEN"])("may be %s", (name) => {
    expect(secretNameProblem(name)).toBeNull()
  })

  it.each(["\ud800", "a\udfff"])("names a value that is no text: %j", (value) => {
    expect(secretsProblem({ A: value }, LIMITS.runtime)).toMatchObject({
      code: "validation_error",
      details: { field: "secrets.A" }
    })
  })

  it("is none that every object has, however it is spelled", () => {
    expect(secretsProblem({ constructor: "x" }, LIMITS.runtime)?.code).toBe("secret_name_invalid")
    for (const name of ["__proto__", "__pr\\u006fto__"])
      expect(prototypeProblem(Buffer.from(`{"secrets":{"${name}":"x"}}`))).toMatchObject({
        code: "secret_name_invalid",
        details: { field: "secrets", name: "__proto__" }
      })
    for (const body of ['{"secrets":{"A":"__proto__"}}', '{"__proto__":{"secrets":{}}}', '{"secrets":null}', ""])
      expect(prototypeProblem(Buffer.from(body))).toBeNull()
  })
})
