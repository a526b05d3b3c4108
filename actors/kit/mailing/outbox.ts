import { join } from "node:path"

/** The folder of letters that are files, beside the rest of what `npm start` keeps. */
export const outboxOf = (data: string): string => join(data, "outbox")
