import { describe, expect, it } from 'vitest';
import { cacheVariables, withoutWorkflowVariables } from '../../../src/host/workflow.ts';

const TOKEN = { ACTIONS_RUNTIME_TOKEN: 'secret' };

describe('what a workflow hands to its steps', () => {
  it('is left out, and everything else stays', () => {
    const ofTheUser = {
      PATH: '/bin',
      HTTPS_PROXY: 'http://proxy',
      GITHUB_SHA: 'abc',
      RUNNER_TEMP: '/tmp',
      ACTION: 'x',
    };
    const ofTheWorkflow = {
      ...TOKEN,
      ACTIONS_RESULTS_URL: 'x',
      ACTIONS_CACHE_URL: 'x',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x',
      INPUT_TOKEN: 'x',
      'INPUT_FAIL-ON': 'x',
      STATE_isLater: 'true',
      GITHUB_TOKEN: 'x',
      GH_TOKEN: 'x',
    };

    expect(withoutWorkflowVariables({ ...ofTheUser, ...ofTheWorkflow })).toEqual(ofTheUser);
  });
});

describe("the way to the runner's cache", () => {
  it.each([
    [{ ...TOKEN, ACTIONS_RESULTS_URL: 'a' }],
    [{ ...TOKEN, ACTIONS_CACHE_URL: 'b' }],
    [{ ...TOKEN, ACTIONS_RESULTS_URL: 'a', ACTIONS_CACHE_URL: 'b', ACTIONS_CACHE_SERVICE_V2: 'true' }],
  ])('is exactly %j', (variables) => {
    expect(cacheVariables({ ...variables, PATH: '/bin', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x' })).toEqual(variables);
  });

  it.each([
    [{}],
    [TOKEN],
    [{ ACTIONS_RESULTS_URL: 'a', ACTIONS_CACHE_URL: 'b' }],
    [{ ...TOKEN, ACTIONS_RESULTS_URL: '', ACTIONS_CACHE_SERVICE_V2: 'true' }],
    [{ ACTIONS_RUNTIME_TOKEN: '', ACTIONS_RESULTS_URL: 'a' }],
  ])('is not there with %j', (variables) => {
    expect(cacheVariables(variables)).toBeUndefined();
  });
});
