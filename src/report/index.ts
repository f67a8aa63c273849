export { CHARTS_FOLDER, type ChartFile, chartsOf, comparisonSummary } from './charts/files.ts';
export { CHART_PLOT, SERVICE_STYLES } from './charts/frame.ts';
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
export { viewComparison } from './comparison/view.ts';
export { metricWord } from './comparison/words.ts';
export { kneeDocument } from './knee/document.ts';
export { KNEE_WORDS, kneeSentence } from './knee/words.ts';
export { htmlOf } from './render/html.ts';
export { ANSI, type Paint, PLAIN, wrapped } from './render/lines.ts';
export { markdownLink, markdownOf } from './render/markdown.ts';
export { briefTerminalOf, terminalOf } from './render/terminal.ts';
export { briefReport, REPORTS, terminalReport } from './run/reports.ts';
export { type PlayedStudy, studiesDocument, studyFindings } from './run/study/studies.ts';
export { baselineSentence } from './stored/baseline.ts';
export { calibrationText, steadinessText } from './stored/calibration.ts';
export { historyList, historyRun } from './stored/history.ts';
export type { Judgement, RunWithStored } from './views/published.ts';
