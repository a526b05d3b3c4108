export { firstAnswers, heard, type FirstAnswersParts, type RequestMemory, type UnderWay } from "./first-answers.ts"
