export {
  firstAnswers,
  firstAnswerReply as heard,
  type FirstAnswersParts,
  type RequestMemory,
  type UnderWay
} from "./first-answers.ts"
