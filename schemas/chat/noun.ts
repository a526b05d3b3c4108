import { chatOperations, chattingOperations } from "./operations.ts"

export const operations = { ...chatOperations, ...chattingOperations }
