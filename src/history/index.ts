export { type Alert, type AlertId, type AlertStanding, isToldAlert, standingOf } from './alerts/alert-standing.ts';
export { anchoredEntryOf } from './anchored/anchored-entry.ts';
export { anchoredRuns, chainLinks, storedDrift } from './anchored/anchored-runs.ts';
export { storedNoise } from './anchored/stored-noise.ts';
export { type HistoryBranch, openHistoryBranch } from './branch/branch.ts';
export { BranchRefusal } from './branch/refusal.ts';
export { changePoints, largestDeparture, rescan } from './change-points/change-points.ts';
export { doubtTexts } from './change-points/doubts.ts';
export { FEWEST_A_SIDE } from './change-points/steps.ts';
export { formatCsv, formatEntries, parseHistoryCsv, readEntries } from './exchange/csv.ts';
export { formatGab, IMPORTED_PLACE, withoutExported } from './exchange/export.ts';
export { readCustom, readGab } from './exchange/import.ts';
export { readToolOutput } from './exchange/tool-output.ts';
export { seriesAddress, seriesFigure, seriesFragment, seriesShift, seriesTitle } from './feed.ts';
export { historyFolder, pageFiles } from './folder.ts';
export { type Publication, type PublishedRun, planned, publishRun, runsAdded } from './publish.ts';
export {
  type HistoryFiles,
  type HistoryStore,
  historyBaseline,
  historyEntries,
  historyIndex,
  judgeInHistory,
  newestSegments,
  type PublishResult,
  presentEntries,
  type ReadHistory,
  requireDistributions,
  requireIndex,
} from './reader.ts';
export { allLostRuns, lostRuns } from './repair/lost.ts';
export { type Repair, type RepairRequest, repairedHistory, type ShorterSegment } from './repair/repair.ts';
export { type Thinning, thinnedHistory } from './repair/thin.ts';
export { daysOf } from './repair/thinned.ts';
export type { HistoryAddition } from './store/addition.ts';
export { formatChanges, type HistoryChange, readChanges } from './store/changes.ts';
export {
  columnsLine,
  type EntryRunner,
  entryLine,
  type HistoryEntry,
  plainSeries,
  type Series,
} from './store/entry.ts';
export { HistoryError, timeText } from './store/fields.ts';
export { formatIndex, type HistoryIndex, type LostRuns, readIndex } from './store/index-file.ts';
export { type EntryFacts, entryOf, identityOf } from './store/run-entry.ts';
export { readSegment, runHistograms } from './store/segment.ts';
export {
  CHANGES_PATH,
  histogramsPath,
  INDEX_PATH,
  lostText,
  openSegment,
  pathOf,
  withSegment,
} from './store/segments.ts';
