import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { badgeFiles, feedOf } from '../../../src/history/feed.ts';
import type { HistoryChange } from '../../../src/history/store/changes.ts';
import { entryOf } from '../../../src/history/store/run-entry.ts';
import { sampleRun } from '../../support/sample-run.ts';

const AT = '2026-11-21T10:00:00.000Z';

function change(changed: Partial<HistoryChange> = {}, metric = 'latencyP95Ms'): HistoryChange {
  return {
    series: { suite: 'users', service: 'rest', operation: 'all', tier: 'high', metric, unit: 'ms', better: 'lower' },
    ...{
      run: 'one',
      at: AT,
      commit: 'c0ffee'.repeat(7).slice(0, 40),
      subject: 'Cache users',
      before: 10,
      after: 11.234,
    },
    ...{ shift: 0.1234, p: 0.001, runsAfter: 7, pending: false },
    ...changed,
  };
}

/** Elements and texts of a document, in order; throws if it is not well-formed. */
function parsed(xml: string): readonly (readonly [name: string, text: string])[] {
  const found: [string, string][] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    found.push([name, Object.values(attributes).join(' ')]);
  });
  parser.on('text', (text) => {
    found.push(['#text', text]);
  });
  parser.write(xml).close();
  return found;
}

const named = (xml: string, name: string) => parsed(xml).filter(([own]) => own === name);

/** What somebody could write into a commit, or a name. */
const HOSTILE = '</title><script>alert(1)</script>"\' & ]]> \u0000\u001b\u202e\ud800 \ufffe';

describe('the feed of change points', () => {
  const feed = (changes: readonly HistoryChange[]) => feedOf(changes, 'https://github.com/one/service', AT);

  it('says if a change may begin with the run next to it, or come from the environment', () => {
    const neighbor = { run: 'two', at: AT, commit: 'b0b'.repeat(14), subject: 'Parse <twice>' };
    const doubted = change({ neighbor, environment: [{ reason: 'gap', days: 21 }] });
    const texts = parsed(feed([doubted])).map(([, text]) => text);

    expect(texts).toContainEqual(expect.stringMatching(/: \+12%, worse \(may be the machine\)$/));
    expect(texts).toContainEqual(
      expect.stringMatching(
        /confirm it\. This run or its neighbor, b0bb0bb Parse <twice>\. May be the machine: first run after a 21-day gap\.$/,
      ),
    );
    expect(feed([change()])).not.toMatch(/neighbor|the machine/i);
  });

  it('names the member of a service', () => {
    const series = { ...change().series, operation: '.orders', metric: 'cpuMicrosPerRequest', unit: 'µs' };

    expect(parsed(feed([change({ series })])).map(([, text]) => text)).toContain(
      'rest, member orders, high CPU time per request: +12%, worse',
    );
  });

  it('says how large an error rate was and is', () => {
    const series = { ...change().series, metric: 'errorRate', unit: 'share' };
    const texts = parsed(feed([change({ series, before: 0, after: 0.5, shift: 0.5 })])).map(([, text]) => text);

    expect(texts).toContain('rest high error rate: 0% → 50%, worse');
    expect(texts.join('\n')).toContain('rest high error rate went from 0% to 50% with c0ffeec');
  });

  it('says what changed, by how much, for better or worse, and since when', () => {
    const texts = parsed(feed([change(), change({ shift: -0.5 }, 'achievedRps')])).map(([, text]) => text);

    expect(texts).toContain('rest high p95 latency: +12%, worse');
    expect(texts).toContain('rest high achieved rate: −50%, better');
    expect(texts.join('\n')).toMatch(/from 10 ms to 11\.2 ms with c0ffeec Cache users; 7 later runs confirm it/);
  });

  it('begins with the newest, leaves out what may be taken back, and has at most 50', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      change({ run: `r${index}`, at: `2026-11-21T10:00:${String(index).padStart(2, '0')}.000Z` }),
    );
    const xml = feed([change({ run: 'pending', pending: true }), ...many]);

    expect(named(xml, 'entry')).toHaveLength(50);
    expect(xml).not.toContain('change:pending:');
    expect(xml.indexOf('change:r59:')).toBeLessThan(xml.indexOf('change:r58:'));
    expect(xml).toContain('<updated>2026-11-21T10:00:59.000Z</updated>');
  });

  it('has an id for each change, which does not depend on other series', () => {
    const ids = (xml: string) => [...xml.matchAll(/<id>(urn:x-wiregauge:change:[^<]+)<\/id>/g)].map(([, id]) => id);

    const [first] = ids(feed([change()]));
    const later = ids(feed([change({ runsAfter: 30 }), change({ run: 'two' }), change({}, 'latencyP50Ms')]));

    expect(later).toContain(first);
    expect(new Set(later).size).toBe(3);
  });

  it('is well-formed without any change, and for any text', () => {
    expect(named(feed([]), 'entry')).toEqual([]);
    expect(named(feed([change({ subject: HOSTILE, run: HOSTILE, commit: HOSTILE }, HOSTILE)]), 'script')).toEqual([]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const xml = feedOf([change({ subject: text, run: text }, text)], text, AT);
        expect(named(xml, 'entry')).toHaveLength(1);
      }),
    );
  });

  it('is the same text for the same changes in another order', () => {
    const changes = [change(), change({ run: 'two', at: '2026-11-22T10:00:00.000Z' }), change({}, 'latencyP50Ms')];

    expect(feed(changes.toReversed())).toBe(feed(changes));
  });
});

describe('badges', () => {
  const entry = entryOf(sampleRun({ services: ['rest'] }), { run: 'one' });

  it('are one for the suite, and one for the p95 of each tier', () => {
    const files = badgeFiles({ ...entry, outcome: 'regressed' });

    expect(files.map(({ path }) => path)).toEqual([
      'badges/users.svg',
      ...['low', 'medium', 'high', 'saturation'].map((tier) => `badges/users-rest-${tier}-p95.svg`),
    ]);
    expect(named(files[0]?.text ?? '', '#text').map(([, text]) => text)).toContain('regressed');
    expect(files[0]?.text).toContain('aria-label="performance: users: regressed"');
    expect(files[1]?.text).toMatch(/p95 rest low: [\d.]+ ms/);
  });

  it('have colors of their own for what is good, bad, unsure and not judged', () => {
    const { outcome: _, ...unjudged } = entry;
    const outcomes = ['passed', 'regressed', 'inconclusive'] as const;
    const colors = [unjudged, ...outcomes.map((outcome) => ({ ...entry, outcome }))].map(
      (one) => /fill="(#[0-9a-f]{6})"/.exec(badgeFiles(one)[0]?.text ?? '')?.[1],
    );

    expect(new Set(colors).size).toBe(4);
  });

  it('are well-formed and have plain paths, for any names', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
        const series = entry.series.map((one) => ({ ...one, suite: name, service: name, tier: `${name}${one.tier}` }));
        for (const { path, text } of badgeFiles({ ...entry, suite: name, series })) {
          expect(path).toMatch(/^badges\/[A-Za-z0-9_](?:[A-Za-z0-9_-]*)\.svg$/);
          expect(named(text ?? '', 'svg')).toHaveLength(1);
        }
      }),
    );
    const files = badgeFiles({ ...entry, suite: HOSTILE });
    expect(named(files[0]?.text ?? '', 'script')).toEqual([]);
  });

  it('are at most 25, each path once', () => {
    const series = Array.from({ length: 300 }, (_, index) => ({ ...change().series, tier: `t${index}` }));
    const paths = badgeFiles({ ...entry, series, values: series.map(() => 1) }).map(({ path }) => path);
    const same = badgeFiles({
      ...entry,
      series: series.map((one) => ({ ...one, tier: '/' })),
      values: series.map(() => 1),
    });

    expect([paths.length, new Set(paths).size, same.length]).toEqual([25, 25, 2]);
  });
});
