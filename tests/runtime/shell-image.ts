/**
 * An image of a few megabytes: a shell and some programs of this machine, with the libraries that they are linked with.
 * For tests that want a program in a container, and nothing of Debian around it.
 */
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { call } from "../deploy/engine.ts"

const PROGRAMS = ["bash", "cat", "flock", "mkdir", "mv", "rm", "sleep", "timeout"]

/** Makes it in an engine, under this name. */
export async function importShell(
  name: string,
  docker: (args: ReadonlyArray<string>) => Promise<string>
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hub-shell-"))
  const root = join(folder, "root")
  const found = (await call("which", PROGRAMS, {})).trim().split("\n")
  const programs = found.map((program) => program.replace(/^\/bin\//, "/usr/bin/"))
  const linked = await Promise.all(programs.map((program) => call("ldd", [program], {})))
  const libraries = linked.flatMap((text) => [...text.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] ?? ""))
  for (const file of new Set([...programs, ...libraries])) {
    await mkdir(join(root, dirname(file)), { recursive: true })
    await cp(file, join(root, file), { dereference: true })
  }
  await mkdir(join(root, "bin"), { recursive: true })
  await cp(join(root, "usr/bin/bash"), join(root, "bin/bash"))
  for (const place of ["etc", "data/work", "run/hub", "tmp"]) await mkdir(join(root, place), { recursive: true })
  // A file system that is mounted there takes over the mode.
  await chmod(join(root, "tmp"), 0o1777)
  await writeFile(join(root, "etc", "nsswitch.conf"), "hosts: files dns\n")
  const archive = join(folder, "shell.tar")
  await call("tar", ["-C", root, "-cf", archive, "."], {})
  await docker(["import", "--change", "ENV PATH=/usr/bin:/bin", archive, name])
  await rm(folder, { recursive: true })
}
