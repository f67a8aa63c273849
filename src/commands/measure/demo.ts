import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readBytes } from '../../host/files/reader.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { measureComparison, shareOf } from '../../measure/session/comparison.ts';
import { aloneOnMachine, type MeasureFlags } from '../../measure/session/runtime.ts';
import { readSuites } from '../../measure/session/versions/suites.ts';
import { compareProfile } from '../../model/profiles.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { policyFor, takeSecrets } from '../../project/policy.ts';
import { comparisonComment } from '../../report/comment/comment.ts';
import { budgetSecondsOf } from '../program/options.ts';
import { measuring, type Within } from '../runs/previous.ts';
import { type CommandEnd, reportOutcome } from '../runs/report.ts';

const DEMO_FOLDER = join(OWN_ROOT, 'demo');

/**
 * `wiregauge demo`: a pull request that makes a small service slower and changes one of its responses. Exit code 0 if the comparison
 * found the slowdown, 2 if it did not, 130 after Ctrl-C.
 */
export async function demo(flags: MeasureFlags): Promise<CommandEnd> {
  const { json, runtime } = flags;
  const base = versionIn('base', 'main', 'Sort the items once');
  const head = versionIn('head', 'sort-on-request', 'Sort the items for each request');
  const share = shareOf(readSuites({ base, head }, undefined), {});
  const { suite } = share.suites;
  const budgetSeconds = budgetSecondsOf(flags);
  remarkLog({ json })(
    `base: ${base.root}\nhead: ${head.root}, which sorts for each request and returns prices as text`,
  );
  const measure = async ({ output, signal }: Within) => {
    await using _lock = await aloneOnMachine(flags, { what: 'wiregauge demo', mostSeconds: budgetSeconds, signal });
    const measured = await measureComparison({
      ...share,
      ...{ base, head, runtime, budgetSeconds, output, signal, json },
      profile: compareProfile(flags.profile),
      policy: policyFor(head.root, suite, undefined),
      stopsEarly: true,
      counts: false,
      profiler: 'auto',
      secrets: takeSecrets([]),
    });
    const { run, result: compared } = judgedRun(measured);
    return { run, against: undefined, compared };
  };
  return await measuring(flags, measure, async ({ run, compared }, written, { output }) => {
    const comment = comparisonComment(run, compared, {
      ...{ id: 'demo', head: head.commit, finishedAt: run.startedAt, links: {}, earlier: [] },
    });
    const reports = [...written.reports, await output.write('comment.md', comment)];
    reportOutcome({ command: 'demo', ...flags }, { ...written, reports });
    return compared.outcome === 'regressed' ? 0 : 2;
  });
}

/** One version of the service, as if git had laid it out. */
function versionIn(side: 'base' | 'head', ref: string, subject: string) {
  const root = join(DEMO_FOLDER, side);
  const commit = createHash('sha1')
    .update(readBytes(join(root, 'server.mjs')))
    .digest('hex');
  return { root, ref, commit, dirty: false, subject };
}
