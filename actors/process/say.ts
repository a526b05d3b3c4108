/** Lines of the process's log, on standard error as JSON. */
export const complain =
  (at: string) =>
  (error: unknown): void =>
    console.error(
      JSON.stringify({
        level: "error",
        at,
        error: String(error),
        stack: error instanceof Error ? error.stack : undefined
      })
    )
