export {
  ConfigError,
  EnvironmentError,
  type ErrorCode,
  KnownError,
  MeasurementError,
  messageOf,
  withCode,
} from './errors.ts';
export { decodeHistogram, encodeHistogram, mergeHistograms } from './histogram.ts';
export { CUT_SHORT, canonicalJson, excessInText, excessInValue, goesDeeper, type Json, jsonFault } from './json.ts';
export { firstDifference, isJsonPath, type JsonDifference, withoutPaths } from './json-path.ts';
export {
  isDistinct,
  NAME,
  name,
  nameAdvice,
  nameHint,
  nameSchema,
  nearName,
  path,
  scalar,
  sharedPath,
  slipOf,
  title,
  variable,
} from './names.ts';
export {
  counted,
  formatChange,
  formatCount,
  formatDuration,
  formatMs,
  formatPoints,
  formatRate,
  formatRatio,
  formatShare,
  NO_FIGURE,
  significant,
  withoutUnit,
} from './numbers.ts';
export { filled, filledEnvironment, type Lookup, type Lookups, placeholdersIn } from './placeholders.ts';
export { type Random, seededRandom, seedOf, shuffled } from './random.ts';
export { firstIssue, listOf, otherSchema, recordIn, schemaOf } from './schema.ts';
export { finite, mean, median, quantile, type Sorted, sorted, standardDeviation } from './statistics.ts';
export {
  cleanText,
  documentAddress,
  escapeHtml,
  escapeMarkdown,
  escapeSummary,
  escapeXml,
  plainLines,
  plainText,
  printedLines,
  shellCommand,
  shellWord,
  shownText,
  terminalJson,
  terminalText,
  wellFormed,
  wordList,
} from './text.ts';
