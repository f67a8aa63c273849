import { describe, expect, test } from 'vitest';
import { commandIn } from '../../../src/github/command.ts';

describe('commandIn', () => {
  test.each([
    ['/wiregauge accept 8%', { kind: 'accept', upTo: 0.08 }],
    ['/wiregauge accept 12.5%', { kind: 'accept', upTo: 0.125 }],
    ['/Wiregauge  accept 8%\r\nsince answers are signed now', { kind: 'accept', upTo: 0.08 }],
    ['/wiregauge accept policy', { kind: 'policy' }],
    ['/wiregauge rerun', { kind: 'rerun' }],
  ])('reads %j', (body, command) => {
    expect(commandIn(body)).toEqual(command);
  });

  test.each([
    '',
    '> /wiregauge accept 8%',
    'Do not write /wiregauge accept 8%',
    'LGTM\n/wiregauge accept 8%',
    '/wiregauge accept',
    '/wiregauge accept 8',
    '/wiregauge accept policy of rest',
    '/wiregauge accept policy%',
    '/wiregauge accept 0%',
    '/wiregauge accept -8%',
    '/wiregauge accept 1001%',
    '/wiregauge accept 8% of rest',
    '/wiregauge rerun && echo',
    '/wiregauged rerun',
    '    /wiregauge rerun',
  ])('takes %j for no command', (body) => {
    expect(commandIn(body)).toBeUndefined();
  });
});
