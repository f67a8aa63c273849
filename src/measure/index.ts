export { KNEE_FILE } from './knee/bench.ts';
export type { Conclusion, GapEnd } from './knee/conclusion.ts';
export { type Step, USUAL_CRITERIA } from './knee/criteria.ts';
export { exitCodeOfKnees, isKneeRecord, type KneeRecord, parseKnees, type ServiceKnee } from './knee/record.ts';
export { MOST_CONTAMINATION, mayDiscard } from './rounds/attempt.ts';
export { keepIn, RUN_FILE } from './run-file.ts';
export { summarise } from './samples/summary.ts';
export { type Trial, type TriedOperation, type TriedService, tryService } from './service/trial.ts';
export { WrongPathError, wrongPathIn } from './service/wrong-path.ts';
export { CALIBRATION_FILE, writeCalibration } from './session/calibration.ts';
export { type ComparisonJob, measureComparison, shareOf } from './session/comparison.ts';
export { measureKnees, searchSeconds } from './session/knees.ts';
export { type AloneFlags, aloneOnMachine, USUAL_WAIT } from './session/machine-turn.ts';
export { measureMainJob } from './session/main-job.ts';
export {
  checkBudget,
  containersOnly,
  durationText,
  expectedPlace,
  loadTools,
  machineOwner,
  openRuntime,
  parseDuration,
  RUNTIME_CHOICES,
  type RuntimeChoice,
  refuseMixedStarts,
} from './session/runtime.ts';
export { compareWithItself, type SelfComparison } from './session/self-comparison.ts';
export { readSuites, refuseAdopted } from './session/versions/suites.ts';
export { namingNoFolder } from './session/versions/words.ts';
export { measureVersus, refuseOtherOperations } from './session/versus.ts';
