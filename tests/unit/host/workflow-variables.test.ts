import { describe, expect, it } from 'vitest';
import { cacheVariables, environmentOfBuild, withoutWorkflowVariables } from '../../../src/host/workflow.ts';

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
      GITHUB_ENV: 'x',
      GITHUB_OUTPUT: 'x',
      GITHUB_PATH: 'x',
      GITHUB_STATE: 'x',
      GITHUB_STEP_SUMMARY: 'x',
    };

    expect(withoutWorkflowVariables({ ...ofTheUser, ...ofTheWorkflow })).toEqual(ofTheUser);
  });
});

describe('what a build of plain processes sees in a workflow', () => {
  const forTools = {
    PATH: '/bin',
    HOME: '/home/runner',
    https_proxy: 'http://proxy',
    NO_PROXY: 'localhost',
    SSL_CERT_FILE: '/ca.pem',
    PIP_INDEX_URL: 'https://index',
    UV_DEFAULT_INDEX: 'https://index',
    npm_config_registry: 'https://registry',
    GOPROXY: 'https://proxy',
    JAVA_HOME_21_X64: '/jdk',
    CARGO_HOME: '/cargo',
    RUNNER_TEMP: '/tmp',
    GITHUB_SHA: 'abc',
    CI: 'true',
  };
  const unrelated = {
    DEPLOY: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    DATABASE_URL: 'x',
    NPM_TOKEN: 'x',
    NODE_AUTH_TOKEN: 'x',
    CARGO_REGISTRY_TOKEN: 'x',
    UV_PUBLISH_PASSWORD: 'x',
    BASH_ENV: 'x',
  };
  const all = { ...forTools, ...unrelated, GITHUB_ACTIONS: 'true' };

  it('is what its tools need, and no secret that has nothing to do with it', () => {
    const { given, withheld } = environmentOfBuild(all);

    expect(given).toEqual({ ...forTools, GITHUB_ACTIONS: 'true' });
    expect(withheld.toSorted()).toEqual(Object.keys(unrelated).toSorted());
  });

  it('is besides what the workflow names, but nothing of the runner', () => {
    const named = {
      WIREGAUGE_BUILD_VARIABLES: 'NPM_TOKEN, DEPLOY GITHUB_OUTPUT',
      GITHUB_OUTPUT: 'x',
      GITHUB_TOKEN: 'x',
    };

    const { given } = environmentOfBuild({ ...all, ...named });

    expect(given).toMatchObject({ NPM_TOKEN: 'x', DEPLOY: 'x' });
    expect(
      Object.keys(given)
        .filter((name) => name.startsWith('GITHUB_'))
        .toSorted(),
    ).toEqual(['GITHUB_ACTIONS', 'GITHUB_SHA']);
  });

  it("is the user's own environment elsewhere", () => {
    const own = { ...forTools, ...unrelated };

    expect(environmentOfBuild(own)).toEqual({ given: own, withheld: [] });
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
