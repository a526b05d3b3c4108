/**
 * Ends a command's process. A pipe holds about 64 KB, and output that is still in the process would be lost with it. So
 * the process ends after its reader has read all of the output, or has closed the pipe.
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
