import { describe, expect, test } from 'vitest';
import {
  alertBody,
  alertRemark,
  alertStateIn,
  alertsOverBody,
  alertTitle,
} from '../../../src/report/comment/alert-issue.ts';
import { ALERT_FORMATS, type AlertNews, alertMessage } from '../../../src/report/comment/alert-messages.ts';
import { hiddenState } from '../../../src/report/comment/state.ts';
import { sampleAlert } from '../../support/sample-alerts.ts';

const OF = { suite: 'users', page: 'https://one.github.io/service/performance/' };

const HOSTILE =
  '@octocat <!channel> <@U123> <b>*bold*</b> [x](https://evil.example) #1 | `code` <at>all</at> --> www.evil.example';

const hostile = sampleAlert({ subject: HOSTILE }, { service: HOSTILE, tier: HOSTILE, unit: HOSTILE });

const many = Array.from({ length: 400 }, (_, place) =>
  sampleAlert(
    { id: { series: String(place).padStart(12, '0'), run: `run-${place % 40}` }, run: `run-${place % 40}` },
    { operation: `op-${place}` },
  ),
);

describe('the issue about what got worse', () => {
  test('names the commit, the figures and their place on the page', () => {
    expect(alertTitle(OF, [sampleAlert()])).toBe('Performance of users: 1 figure worse');
    expect(alertBody(OF, [sampleAlert()])).toContain(
      [
        '**1 figure since ccccccc Parse twice.** 5 runs or more confirm it.',
        '',
        '| figure | before | since then | change |',
        '| --- | ---: | ---: | ---: |',
        '| rest saturation service CPU time per request | 812 µs | 1010 µs | [\\+24%](https://one.github.io/service/performance/#series=users%2Frest%2Fall%2Fsaturation%2FcpuMicrosPerRequest%2F%C2%B5s&amp;run=run-30) |',
      ].join('\n'),
    );
  });

  test('says once if the change may begin with the run next to it, or come from the environment', () => {
    const neighbor = {
      run: 'run-29',
      at: '2026-11-01T09:00:00.000Z',
      commit: 'd'.repeat(40),
      subject: 'Keep @octocat',
    };
    const doubted = sampleAlert({ neighbor, environment: [{ reason: 'gap', days: 21 }] });

    expect(alertBody(OF, [doubted, { ...doubted, id: { series: 'b'.repeat(12), run: 'run-30' } }])).toContain(
      [
        '5 runs or more confirm it.',
        '',
        '- this run or its neighbor, ddddddd Keep @\u200boctocat',
        '- may be the machine: first run after a 21-day gap',
        '',
        '| figure |',
      ].join('\n'),
    );
    const sent = ALERT_FORMATS.map((format) => alertMessage(format, news({ worse: [doubted] })));
    expect(sent[0]).toContain('"environment":[{"reason":"gap","days":21}]');
    expect(sent[0]).toContain('"neighbor":{"run":"run-29"');
    expect(
      sent.slice(1).every((text) => text.includes('its neighbor, ddddddd') && text.includes('may be the machine')),
    ).toBe(true);
  });

  test('names a drift by its anchor', () => {
    const drift = sampleAlert({ kind: 'drift', after: 1.056, shift: 0.056, runs: 1 }, { unit: '× v1.4.0' });

    expect(alertBody({ suite: 'users' }, [drift])).toMatch(
      /Over its drift limit since the anchor\*\*\n\n- rest saturation service CPU time per request \(× v1\.4\.0\): \\\+5\.6% in the newest run, ccccccc/,
    );
  });

  test('names a planted slowdown that was not found', () => {
    const plant = sampleAlert({ kind: 'plant', before: 1, after: 1.05, shift: 0.05, runs: 1 });

    expect(alertBody({ suite: 'users' }, [plant])).toMatch(/not found:\*\* .*\n\n- rest: \+5% CPU time, on 2026-/);
    expect(alertMessage('slack', news({ worse: [plant] }))).toContain('rest: planted +5% CPU time not found on 2026-');
  });

  test('is one issue for four hundred figures, and short enough for GitHub', () => {
    const body = alertBody(OF, many);

    expect(alertTitle(OF, many)).toBe('Performance of users: 400 figures worse');
    expect(body).toMatch(/Plus changes in 32 earlier runs/);
    expect(body.length).toBeLessThan(65_536);
    expect(alertStateIn(body, 'users')?.reported).toHaveLength(400);
  });

  test('shows a dozen figures of one run, and counts the others', () => {
    const same = many.slice(0, 40).map((alert) => ({ ...alert, run: 'run-1' }));

    expect(alertBody(OF, same)).toMatch(/\*\*40 figures since.*Plus 28 more figures of the same run/s);
  });

  test.each([alertBody(OF, [hostile]), alertRemark(OF, [hostile])])(
    'lets no text from outside be more than text',
    (body) => {
      expect(body).not.toMatch(/@octocat|<!channel>|<@U|<b>|\]\(https:\/\/evil|<at>|www\.evil|#1\b/);
      expect(body.split('\n').filter((line) => line.startsWith('<!--'))).toHaveLength(body.startsWith('<!--') ? 2 : 0);
    },
  );

  test('stores what it reported, and for which suite', () => {
    const body = alertBody(OF, [sampleAlert()]);

    expect(alertStateIn(body, 'users')).toEqual({ isOver: false, reported: [sampleAlert().id] });
    expect(alertStateIn(alertsOverBody(OF), 'users')).toEqual({ isOver: true, reported: [] });
    expect(alertStateIn(body, 'other')).toBeUndefined();
    expect(alertStateIn(`> ${body}`, 'users')).toBeUndefined();
    expect(alertStateIn(`${body}\nsee the wiki`, 'users')?.reported).toHaveLength(1);
    expect(alertStateIn(body.replace(/alert-state \w{8}/, 'alert-state !!'), 'users')).toBeUndefined();
  });

  test('reads the state that version 1.0 stored', () => {
    const { id } = sampleAlert();
    const former = hiddenState('alert-state', { isOver: false, told: [id] });
    const body = alertBody(OF, [sampleAlert()]).replace(/<!-- wiregauge:alert-state .* -->/, former);

    expect(body).toContain(former);
    expect(alertStateIn(body, 'users')).toEqual({ isOver: false, reported: [id] });
  });
});

const news = (change: Partial<AlertNews> = {}): AlertNews => ({
  ...OF,
  repository: 'https://github.com/one/service',
  run: 'run-35',
  worse: [sampleAlert()],
  gone: [],
  openCount: 1,
  ...change,
});

const message = (format: (typeof ALERT_FORMATS)[number], change: Partial<AlertNews> = {}) =>
  JSON.parse(alertMessage(format, news(change)));

describe('what a webhook is sent', () => {
  test('is the figures, as JSON', () => {
    expect(message('json')).toMatchObject({
      schema: 1,
      summary: 'Performance of users: 1 figure got worse',
      suite: 'users',
      run: 'run-35',
      worse: [
        {
          service: 'rest',
          metric: 'cpuMicrosPerRequest',
          before: 812,
          after: 1010,
          change: 0.244,
          since: { run: 'run-30', commit: 'c'.repeat(40), subject: 'Parse twice' },
        },
      ],
      gone: [],
      openCount: 1,
      standing: 1,
    });
  });

  test('is blocks of plain text for Slack', () => {
    const { text, blocks } = message('slack');

    expect(text).toBe('Performance of users: 1 figure got worse');
    expect(blocks).toMatchObject([
      { type: 'header', text: { type: 'plain_text' } },
      {
        type: 'section',
        text: {
          type: 'plain_text',
          text: '▲ rest saturation service CPU time per request: +24% since ccccccc Parse twice',
        },
      },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: expect.stringMatching(/^<https:\/\/one\.github\.io\/.*\|Trend> · /) },
      },
    ]);
  });

  test('is an Adaptive Card for Teams, of texts without markup', () => {
    const { type, attachments } = message('teams');
    const [{ contentType, content }] = attachments;

    expect([type, contentType, content.type]).toEqual([
      'message',
      'application/vnd.microsoft.card.adaptive',
      'AdaptiveCard',
    ]);
    expect(content.body).toMatchObject([
      { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'Performance of users: 1 figure got worse' }] },
      { type: 'RichTextBlock', inlines: [{ text: expect.stringMatching(/^▲ rest saturation/) }] },
    ]);
    expect(content.actions.map(({ title }: { title: string }) => title)).toEqual(['Trend', 'Repository']);
  });

  test('says what is no longer worse, and how many are left', () => {
    expect(message('slack', { worse: [], gone: [sampleAlert()], openCount: 3 }).text).toBe(
      'Performance of users: 1 figure no longer worse (3 worse in total)',
    );
  });

  test('has no markup of the chat in texts from outside', () => {
    const slack = message('slack', { suite: HOSTILE, worse: [hostile] });
    const markup = slack.blocks.filter(({ text }: { text: { type: string } }) => text.type === 'mrkdwn');

    expect(slack.text).not.toMatch(/[<>]/);
    expect(JSON.stringify(markup)).not.toMatch(/<!|<@|[*~`]/);
    const card = JSON.stringify(message('teams', { suite: HOSTILE, worse: [hostile] }));
    expect(card).not.toMatch(/"TextBlock"|"entities"/);
  });

  test.each(ALERT_FORMATS)('stays small with four hundred figures: %s', (format) => {
    const body = alertMessage(format, news({ worse: many, openCount: 400 }));

    expect(body.length).toBeLessThan(format === 'json' ? 100_000 : 8_000);
    expect(body).toContain('400 figures got worse');
  });
});
