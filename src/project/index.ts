export { ANCHOR_FILE, type PinnedAnchor, pinAnchor, pinnedAnchor } from './anchor.ts';
export { inBothRuntimes } from './both.ts';
export type { SuiteFiles } from './files.ts';
export { servicesBefore, suiteBefore } from './former-names.ts';
export { manifestOf, manifestsIn } from './manifests.ts';
export { OWN_ROOT, writableRoot } from './own-root.ts';
export { type Annotation, configPlaces, type SourcePlace, type SourcePlaces } from './places.ts';
export { policyFor, takeSecrets } from './policy.ts';
export { onlyOperations, withOperations } from './selected.ts';
export {
  measuredRoot,
  PROJECT_FILE,
  readSuite,
  servicesIn,
  suiteRoot,
  suitesIn,
  withCheckedContracts,
} from './suite.ts';
