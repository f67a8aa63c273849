export { calibrationOfRounds, type Proportion, proportion } from './calibration/calibrate.ts';
export {
  type Decision,
  type Drawing,
  decide,
  decideServices,
  drawRounds,
  logRatios,
  type Recorded,
  recordedOf,
  roundsOf,
} from './calibration/draws.ts';
export { expectedRounds } from './calibration/expected.ts';
export { type ComparedCall, comparedCalls } from './counts/calls.ts';
export { CHECKOUT, countedFindings } from './counts/counted.ts';
export {
  type CountedValue,
  countedValues,
  FEWEST_STARTS,
  MOST_STARTS,
} from './counts/figures.ts';
export { type GrownFunction, grownFunctions } from './counts/functions.ts';
export { notesOnWarmUps } from './counts/notes.ts';
export { type CountedSteadiness, countedSteadiness } from './counts/steadiness.ts';
export { anchoredPolicy, changeOfRatio, driftsOf, ratioFor } from './drift/drift.ts';
export {
  type Bisection,
  intervalOf,
  likeliest,
  nextPlace,
  type Sighting,
  type Suspects,
  sightingOf,
  unitedSighting,
} from './inference/bisection.ts';
export { mannWhitneyP } from './inference/counts.ts';
export { noiseOf } from './inference/detectable.ts';
export { normalQuantile, normalTail, studentQuantile, studentTail } from './inference/distributions.ts';
export { type FamilyRule, looksFor, type Paired, testFamily } from './inference/family-test.ts';
export { intervalOverLooks } from './inference/interval-over-looks.ts';
export { FEWEST_ROUNDS, hodgesLehmann, midRanks, signedRankInterval } from './inference/location.ts';
export {
  type GrownTime,
  type SampledGrowth,
  sampledGrowth,
  unexplainedCpu,
} from './profiler/growth.ts';
export {
  type CellReading,
  type CellTable,
  type Figure,
  figureOf,
  type MarkCount,
  type RunSample,
  readCells,
} from './reading/cells.ts';
export { millisecondsOf, type OwnCheck, ownChecks } from './reading/own.ts';
export {
  changeFrom,
  difference,
  type FigureChange,
  HELD_SHARE,
  holdsRate,
  isGeneratorLimited,
  type ServiceAtTier,
  type TierPair,
  type TierRanking,
  tierRanking,
} from './reading/tier-comparison.ts';
export {
  ADVISORY_RUNS,
  type BoundVerdict,
  boundOf,
  criticalValue,
  FIRM_RUNS,
  isSlowdown,
  levelOf,
  type StoredLevel,
} from './stored/bound.ts';
export { candidatesOf } from './stored/candidates.ts';
export {
  failingCells,
  historyRows,
  keptSamples,
  type MeasuredCell,
  measuredCells,
  memberSamples,
  memoryPeaks,
  tellingValues,
} from './stored/cells.ts';
export {
  type HistoryComparison,
  type HistoryResult,
  type HistoryVerdict,
  isFirm,
  type JudgedByHistory,
  type MoreErrors,
  type StoredComparison,
  type StoredRunCount,
  suspicionsOf,
  type Unmeasured,
} from './stored/comparison.ts';
export { judgeByStored, judgeFamilies } from './stored/judge.ts';
export {
  type Baseline,
  configurationOf,
  controlMsOf,
  isSameStratum,
  ordered,
  rounded,
  type StoredRun,
  stratumOf,
  toolsText,
} from './stored/stored-run.ts';
export { type StartUp, startUpOf } from './study/start-up.ts';
export { type TurningPoint, turningPoints, turningTiers } from './study/turning-point.ts';
export {
  exitCodeOfVersus,
  inverse,
  type PairedServices,
  type Pairing,
  pairingsOf,
  type ServiceRatio,
  type StudyEvidence,
  type Times,
} from './study/versus.ts';
export { notesOnAcceptance } from './verdict/acceptances.ts';
export { judgingPolicy } from './verdict/base-policy.ts';
export { comparedOf } from './verdict/compared.ts';
export { isFullPass, isHole } from './verdict/coverage.ts';
export {
  type AcceptedRegression,
  type AnchorDrift,
  type AnswerFinding,
  type BudgetFinding,
  type CellErrors,
  type Compared,
  type ComparisonInput,
  type ComparisonResult,
  type ErrorFinding,
  type Finding,
  type FromZero,
  hasTooFewRounds,
  type InconclusiveFinding,
  isAccepted,
  isInconclusive,
  isNotSeen,
  isRegression,
  type Lost,
  mayFail,
  type Regression,
  type RoundCount,
  type Uncompared,
} from './verdict/finding.ts';
export { worseness } from './verdict/findings.ts';
export { type ForeignRules, foreignRun } from './verdict/foreign-run.ts';
export { isDecided, isFirstRun, type JudgedRun, judgeComparison, judgedRun, judgeRun } from './verdict/judge.ts';
export {
  ACCEPTED_LABEL,
  type AcceptedRows,
  type LabelEvent,
  MOST_ACCEPTED,
  MOST_POLICY_TEXT,
  policyText,
  type ShownResult,
  type ShownRow,
  shownRows,
  withAcceptedPolicy,
  withAcceptedRows,
} from './verdict/label.ts';
export { withoutHoles } from './verdict/losses.ts';
