import { STUDIES } from '../../../studies/index.ts';
import { reportsWith } from '../../report/run/reports.ts';

export { type MeasuredStudy, studiesDocument, studyFindings } from '../../../studies/index.ts';

export const { REPORTS, briefReport, terminalReport } = reportsWith(STUDIES);
