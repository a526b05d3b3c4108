/** The documents as an edge serves them, and the code in them. */
import type { World } from "./edge.ts"

export const PAGES = ["javascript", "python", "shell"] as const

/** By name: the reference, and the page of each language. */
export type Texts = ReadonlyMap<string, string>

export const servedTexts = async ({ edge }: World): Promise<Texts> => {
  const texts = new Map([["reference", (await edge.call("/api/v1/docs")).text]])
  for (const page of PAGES) texts.set(page, (await edge.call(`/api/v1/docs/${page}`)).text)
  return texts
}

/** A code block by the name behind its language, on whichever page it is. */
export const blockOf = (texts: Texts, name: string): string => {
  const found = new RegExp(`^\`\`\`\\w+ ${name.replace(".", "\\.")}\\n([\\s\\S]*?)^\`\`\``, "m").exec(
    [...texts.values()].join("\n")
  )?.[1]
  if (found === undefined) throw new Error(`no page has a block named ${name}`)
  return found
}

/**
 * `hub.py`, imported. Stands in for the package where the machine does not have it: the rest of the code is tested all
 * the same.
 */
export const PYTHON_KEYS = `import base64, json, os, subprocess, hub
try:
    import cryptography
except ImportError:
    class Key:
        def __init__(self, seed):
            der = bytes.fromhex("302e020100300506032b657004220420") + seed
            text = base64.b64encode(der).decode()
            self.pem = "-----BEGIN " + "PRIVATE KEY-----\\n" + text + "\\n-----END " + "PRIVATE KEY-----\\n"
            with open("stand-in.pem", "w") as file:
                file.write(self.pem)
        def sign(self, text):
            with open("stand-in.txt", "wb") as file:
                file.write(text)
            command = ["openssl", "pkeyutl", "-sign", "-inkey", "stand-in.pem", "-rawin", "-in", "stand-in.txt"]
            return subprocess.run(command, capture_output=True, check=True).stdout
    def keys_of(seed):
        key = Key(seed)
        command = ["openssl", "pkey", "-in", "stand-in.pem", "-pubout", "-outform", "DER"]
        raw = subprocess.run(command, capture_output=True, check=True).stdout[-32:]
        return {"private_key": key, "public_key": base64.b64encode(raw).decode(), "hub_id": hub.hub_id(raw)}
    hub.keys_of = keys_of
`
