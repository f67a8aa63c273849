export { ANCHOR_FILE, type PinnedAnchor, pinAnchor, pinnedAnchor } from './anchor.ts';
export { inBothRuntimes } from './both.ts';
export { servicesBefore, suiteBefore } from './former-names.ts';
export { OWN_ROOT, writableRoot } from './own-root.ts';
export { type Annotation, configPlaces, type SourcePlace, type SourcePlaces } from './places.ts';
export { policyFor, takeSecrets } from './policy.ts';
export {
  measuredRoot,
  PROJECT_FILE,
  readSuite,
  type SuiteFiles,
  servicesIn,
  suiteRoot,
  suitesIn,
  withCheckedContracts,
} from './suite.ts';
