import { describe, expect, test } from 'vitest';
import { uploadFolder } from '../../src/commands/action/artifact.ts';
import { fakeWorkflowHost } from '../support/fake-workflow-host.ts';
import { artifactsPerTest, shortWaitsPerTest } from './artifact-bench.ts';

const bench = artifactsPerTest();
shortWaitsPerTest();

describe('a service that does not take them', () => {
  test('leads to a warning with the lines that fix it where two jobs use one name', async () => {
    await bench.leaveResults();
    await uploadFolder(fakeWorkflowHost(), bench.folder);
    const second = fakeWorkflowHost();

    expect(await uploadFolder(second, bench.folder)).toBeUndefined();

    expect(second.outputs.size).toBe(0);
    expect(second.annotations).toEqual([
      {
        level: 'warning',
        title: 'Wiregauge',
        message: expect.stringContaining('with: { artifact: "wiregauge-$' + '{{ matrix.suite }}" }'),
      },
    ]);
  });

  test.each([
    ['CreateArtifact', 403, 1, /\(403\).*with: \{ upload: false \}/],
    ['CreateArtifact', 500, 99, /after 5 attempts.*with: \{ upload: false \}/],
    ['FinalizeArtifact', 500, 99, /after 5 attempts/],
    ['PUT block', 403, 99, /was not uploaded/],
  ])('is a warning and no failure: %s answers %i', async (...[request, status, times, said]) => {
    await bench.leaveResults();
    bench.service.fail(request, status, times);
    const host = fakeWorkflowHost();

    expect(await uploadFolder(host, bench.folder)).toBeUndefined();

    expect(host.annotations).toMatchObject([{ level: 'warning', message: expect.stringMatching(said) }]);
    expect(host.annotations[0]?.message).not.toMatch(/\n|\bat /);
  });

  test.each([
    ['CreateArtifact', 500],
    ['PUT block', 503],
    ['PUT blocklist', 500],
    ['FinalizeArtifact', 502],
  ])('is asked again where %s answers %i once', async (request, status) => {
    await bench.leaveResults();
    bench.service.fail(request, status);

    expect(await uploadFolder(fakeWorkflowHost(), bench.folder)).toMatch(/artifacts\/9001$/);

    expect(bench.service.requested.filter((one) => one === request)).toHaveLength(2);
  });
});
