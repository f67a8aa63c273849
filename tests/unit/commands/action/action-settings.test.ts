import { describe, expect, test } from 'vitest';
import { actionSettings } from '../../../../src/commands/action/settings.ts';

const settings = (inputs: Readonly<Record<string, string>>) => actionSettings(new Map(Object.entries(inputs)));

describe('actionSettings', () => {
  test('uploads and writes no check run where nothing is said', () => {
    expect(settings({})).toEqual({ uploads: true, writesCheckRun: false });
  });

  test('does as it is told', () => {
    expect(settings({ upload: 'false', 'check-run': 'true' })).toEqual({ uploads: false, writesCheckRun: true });
  });

  test.each([
    [{ upload: 'yes' }, /`upload` is "yes"/],
    [{ 'check-run': 'True' }, /`check-run` is "True"/],
    [{ artifact: 'wiregauge/rest' }, /`artifact` is "wiregauge\/rest"/],
    [{ artifact: 'a\nb' }, /`artifact` is "a\\nb"/],
    [{ artifact: 'x'.repeat(201) }, /which no artifact can be called/],
  ])('refuses %o before anything is measured', (inputs, message) => {
    expect(() => settings(inputs)).toThrow(message);
  });
});
