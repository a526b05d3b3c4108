/**
 * The end of a command. A pipe holds some 64 KB: what has not left yet would be lost with the process, so it ends when
 * whoever reads has taken all, or is gone.
 */
const taken = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    stream.once("error", () => resolve())
    stream.write("", () => resolve())
  })

export async function exitWith(status: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(taken))
  process.exit(status)
}
