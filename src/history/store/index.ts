/** The format of a stored history, as the trend page reads it in a browser: nothing here needs Node.js. */
export { isFromOrToZero } from '../change-points/change-points.ts';
export { environmentText, neighborText } from '../change-points/doubts.ts';
export { type HistoryChange, readChanges } from './changes.ts';
export { anchorOf, type HistoryEntry, type Series, seriesKey, turnOf } from './entry.ts';
export { HistoryError } from './fields.ts';
export { type HistoryIndex, readIndex, type SegmentRow } from './index-file.ts';
export { presentCells, presentKey, underPresentNames } from './names.ts';
export { type RunHistograms, readHistograms, readSegment } from './segment.ts';
export {
  CHANGES_PATH,
  distributionsLoss,
  histogramsPath,
  INDEX_PATH,
  lostText,
  pathOf,
  segmentLoss,
} from './segments.ts';
