export { CHARTS_FOLDER, type ChartFile, chartsOf, comparisonSummary } from './charts/files.ts';
export {
  CHART_PLOT,
  chart,
  hollowServiceMarks,
  keyPicture,
  labelPlaces,
  labelWidth,
  markTitle,
  round,
  SERVICE_STYLES,
  serviceClass,
  serviceLine,
  serviceMarks,
  shortLabels,
} from './charts/frame.ts';
export { argumentScale, latencyScale, logRateScale, rateScale, type Scale } from './charts/scales.ts';
export {
  type AlertState,
  type AlertsOf,
  alertBody,
  alertDuplicateBody,
  alertRemark,
  alertStateIn,
  alertsOverBody,
  alertTitle,
} from './comment/alert-issue.ts';
export { ALERT_FORMATS, type AlertFormat, type AlertNews, alertMessage } from './comment/alert-messages.ts';
export { annotationsOf } from './comment/annotations.ts';
export { comparisonComment } from './comment/comment.ts';
export type { AcceptWay } from './comment/sections.ts';
export { hasMarker, isOurs, resultsIn, shownAt, shownPolicyAt } from './comment/state.ts';
export {
  CAUSE_FILE,
  formatCause,
  parseCause,
  type Unjudged,
  unjudgedComment,
  unjudgedLine,
  unjudgedSummary,
  withPending,
} from './comment/unjudged.ts';
export { comparisonText } from './comparison/document.ts';
export { headline } from './comparison/headline.ts';
export { junitOf } from './comparison/junit.ts';
export { endsText, limitText, ratioText, timesText } from './comparison/stored-words.ts';
export { type Labels, reportLabels, viewComparison } from './comparison/view.ts';
export { comparisonLabel, metricWord } from './comparison/words.ts';
export {
  type Block,
  type Cell,
  type ChartHtml,
  type Document,
  fold,
  heading,
  list,
  paragraph,
  type Section,
  type Table,
  type TableRow,
} from './document.ts';
export { kneeDocument } from './knee/document.ts';
export { KNEE_WORDS, kneeSentence } from './knee/words.ts';
export { htmlOf } from './render/html.ts';
export { ANSI, type Paint, PLAIN, wrapped } from './render/lines.ts';
export { markdownLink, markdownOf } from './render/markdown.ts';
export { type Html, html } from './render/markup.ts';
export { briefTerminalOf, terminalOf } from './render/terminal.ts';
export { memberValuesAt, sumOf } from './run/members.ts';
export { reportsWith } from './run/reports.ts';
export { baselineSentence } from './stored/baseline.ts';
export { calibrationText, steadinessText } from './stored/calibration.ts';
export { historyList, historyRun } from './stored/history.ts';
export type { Studies } from './studies.ts';
export { evidenceOf } from './versus/view.ts';
export { aboutOf } from './views/about.ts';
export { placeTexts, startOf } from './views/facts.ts';
export type { Judgement, RunWithStored } from './views/judgement.ts';
export { type RunView, type ServiceView, type TierView, viewRun } from './views/run-view.ts';
export { capital, cellAt, metricLabel, wholeOf } from './views/service-comparison.ts';
export {
  type SweepCell,
  type SweepLine,
  type SweepPoint,
  type SweepReading,
  sweepOf,
  timesReference,
} from './views/sweep.ts';
