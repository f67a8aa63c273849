/** The rules of docs/architecture.md. */
export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '(^|/)[^/]+\\.config\\.(ts|mjs)$'] },
      to: {},
    },
    { name: 'not-to-test', severity: 'error', from: { path: '^(src|scripts|bench)' }, to: { path: '^tests' } },
    {
      name: 'site-model-is-pure',
      severity: 'error',
      from: { path: '^site/model' },
      to: { path: ['^site/(?!model)', 'node_modules/'] },
    },
    {
      name: 'github-stays-outside',
      severity: 'error',
      from: { pathNot: ['^src/action\\.ts$', '^src/github/', '^tests'] },
      to: { path: '@(actions|octokit)/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
