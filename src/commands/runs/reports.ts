import { STUDIES } from '../../../studies/index.ts';
import { pageOf } from '../../report/page.ts';
import type { Judgment } from '../../report/views/judgment.ts';

export { type MeasuredStudy, studiesDocument, studyFindings } from '../../../studies/index.ts';

/** Page of a judgment, with the parts of studies. */
export function judgmentPage(judgment: Judgment): ReturnType<typeof pageOf> {
  return pageOf(judgment, STUDIES);
}
