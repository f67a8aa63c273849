export { type Step, USUAL_CRITERIA } from './knee/criteria.ts';
export { exitCodeOfSaturate, isSaturate, parseSaturate, type SaturateRecord, type ServiceKnee } from './knee/record.ts';
export { SATURATE_FILE } from './knee/stand.ts';
export { disturbedSentence, gapSentence, kneeSentence, loadWords, stepVerdictWords } from './knee/words.ts';
export { MOST_CONTAMINATION, mayDiscard } from './rounds/attempt.ts';
export { summarise } from './samples/summary.ts';
export { verify } from './service/verify.ts';
export { measureOneBuild, type OneBuild, versusSides } from './session/build.ts';
export { ownRecord, type Share, shareOf } from './session/job-share.ts';
export { measureKnees, type SaturateJob, searchSeconds } from './session/knees.ts';
export { measureMainJob } from './session/main-job.ts';
export { measureRounds } from './session/rounds.ts';
export {
  checkBudget,
  containersOnly,
  durationText,
  loadTools,
  machineOwner,
  parseDuration,
  type RuntimeChoice,
} from './session/runtime.ts';
export { compareWithItself, type SelfComparison } from './session/self-comparison.ts';
export { openVersions, readSuites, type VersionFolder, versionRecord } from './session/versions.ts';
export { keepIn, RUN_FILE } from './slots/benchmark.ts';
