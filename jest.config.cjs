const { specsByLevel } = require('./test/jest/levels.cjs');

// Modules are compiled to CommonJS. NestJS is published only as ES modules; Jest can require those only under
// NODE_OPTIONS=--experimental-vm-modules (scripts/check.mjs sets it).
/**
 * Modules get these as parameters. Otherwise each use asks the realm of the worker, which is not compiled: a gateway starts with a third less
 * of processor time. `Date` is not among them, because tests replace it; nor are `Set` and `Boolean`, because a package declares them.
 */
const sandboxInjectedGlobals = [
  ...['Array', 'BigInt', 'Error', 'Function', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'Proxy'],
  ...['Reflect', 'RegExp', 'String', 'Symbol', 'TypeError', 'WeakMap', 'WeakSet', 'parseInt'],
];
const project = {
  sandboxInjectedGlobals,
  // Packages and the product are loaded once per worker (ADR 0271).
  testEnvironment: '<rootDir>/test/jest/environment.cjs',
  runtime: '<rootDir>/test/jest/runtime.cjs',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: {
    '^#(.*)$': '<rootDir>/libs/$1/src/index.ts',
    // TypeScript requires the extension in an `import()`.
    '^(\\.\\./.*/apps/.*)\\.js$': '$1',
    '^(\\.{1,2}/(?:s3-blob-store|sdk/open-telemetry|edge-adapter|fastify-instance|doctor/checks|secrets-proof))\\.js$':
      '$1',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2023',
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
};

const specs = specsByLevel();
/** One PostgreSQL for the run. */
const withDatabase = {
  globalSetup: '<rootDir>/test/jest/global-setup.cjs',
  globalTeardown: '<rootDir>/test/jest/global-teardown.cjs',
};
const level = (name, settings = {}) => ({
  ...project,
  ...settings,
  displayName: name,
  testMatch: specs[name],
});

// To run one level alone: npm run jest -- --selectProjects pure
module.exports = {
  projects: [level('pure'), level('adapters', withDatabase), level('system', withDatabase)],
  testSequencer: '<rootDir>/test/jest/sequencer.cjs',
  // A machine under load may be ten times slower than a quiet one.
  testTimeout: 300_000,
};
