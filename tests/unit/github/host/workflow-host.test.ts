import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { workflowHost } from '../../../../src/github/host/workflow-host.ts';

const JOB = { GITHUB_REPOSITORY: 'one/service', GITHUB_EVENT_NAME: 'push', GITHUB_RUN_ID: '77' };

describe('workflowHost', () => {
  let printed = '';
  beforeEach(() => {
    printed = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
  });
  afterEach(() => vi.restoreAllMocks());

  test('puts an annotation on its line', () => {
    const place = { path: 'suites/users.yml', line: 12 };

    workflowHost(JOB).annotate({ level: 'error', title: 'Regression', message: 'slower', ...place });

    expect(printed.trimEnd()).toBe('::error title=Regression,file=suites/users.yml,line=12::slower');
  });

  test('lets no text break out of the command that carries it', () => {
    const title = 'a,b:c\n::stop-commands::x';
    const path = 'suites/a,line=9::b\r\n.yml';
    const message = '100%\r\n::error file=x::forged';

    workflowHost(JOB).annotate({ level: 'warning', title, message, path, line: 1 });

    expect(printed.trimEnd().split(/[\r\n]/)).toHaveLength(1);
    expect(printed).toMatch(/^::warning title=a%2Cb%3Ac%0A%3A%3Astop-commands%3A%3Ax,/);
    expect(printed).toContain('file=suites/a%2Cline=9%3A%3Ab%0A.yml,line=1::');
    expect(printed.trimEnd()).toMatch(/::100%25%0A::error file=x::forged$/);
  });

  test('leads to the server that the runner names, and to github.com where it names none', () => {
    const there = workflowHost({ ...JOB, GITHUB_SERVER_URL: 'https://git.example.com' });
    const here = workflowHost(JOB);

    expect(there.runUrl(77)).toBe('https://git.example.com/one/service/actions/runs/77');
    expect(here.runUrl(77)).toBe('https://github.com/one/service/actions/runs/77');
  });

  test('is refused outside of a workflow', () => {
    expect(() => workflowHost({})).toThrow(/GITHUB_REPOSITORY is not set: this is not a GitHub Actions job/);
  });
});
