export { RoadmapApi as api, RoadmapPages as pages } from "./api.ts"
export { roadmapOperations as operations } from "./operations.ts"
