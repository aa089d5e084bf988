// The import rules of docs/adr and CONTRIBUTING; test/runtime/import-rules.spec.ts shows that each of them works.
// eslint.config.mjs has the rule that only libs/platform reads process.env, because it is not about imports.

/** A rule that forbids imports from files matching `from` to files matching `to`. */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const INDEX = '/src/index\\.ts$';
// A spec loads only the rig that it needs; another rule lists the files that may load all of them.
const RIGS = '^libs/testing/';
const PURE = '^libs/(sharing|ocs/protocol|federation/protocol|federation/exchange)/';

module.exports = {
  forbidden: [
    forbid(
      'pure-libraries-stay-pure',
      'sharing, ocs/protocol, federation/protocol and federation/exchange import nothing but one another and zod',
      { path: PURE, pathNot: '\\.spec\\.ts$' },
      { pathNot: [PURE, '(^|/)node_modules/zod/'] },
    ),
    forbid(
      'database-drivers-only-in-persistence',
      'typeorm and pg are for libs/persistence, the queue and the embedded database',
      { path: '^(apps|libs)/', pathNot: '^libs/(persistence|queue|embedded-database|testing)/' },
      { path: '(^|/)node_modules/(typeorm|pg|@nestjs/typeorm)/' },
    ),
    forbid(
      'hot-subjects-use-statements',
      'files, shares and deliveries are read and written by declared statements (ADR 0058)',
      { path: '^libs/persistence/src/repositories/(files|shares|deliveries)/', pathNot: '\\.spec\\.ts$' },
      { path: '^libs/persistence/src/entities/' },
    ),
    forbid(
      'undici-only-in-the-federation-client',
      'one way out to the network',
      { path: '^(apps|libs)/', pathNot: '^libs/(federation/client|testing)/' },
      { path: '(^|/)node_modules/undici/|^undici$' },
    ),
    forbid(
      'telemetry-only-in-its-folder',
      'everything else speaks of spans through the platform',
      { path: '^(apps|libs)/', pathNot: '^libs/platform/src/tracing/sdk/' },
      { path: '(^|/)node_modules/@opentelemetry/' },
    ),
    forbid(
      'telemetry-is-loaded-when-configured',
      'it takes memory and time, so nothing imports it but by import()',
      { path: '^(apps|libs)/', pathNot: '^libs/platform/src/tracing/sdk/' },
      { path: '^libs/platform/src/tracing/sdk/', dynamic: false },
    ),
    forbid(
      'federation-client-only-where-partners-are-called',
      'only federation-worker, files and cli open connections to partners',
      { path: '^apps/', pathNot: '^apps/(federation-worker|files|cli)/' },
      { path: '^libs/federation/client/' },
    ),
    forbid(
      'federation-below-the-storage',
      'federation stands below the storage: the tree is built on it',
      { path: '^libs/federation/', pathNot: '\\.spec\\.ts$' },
      { path: '^libs/storage/' },
    ),
    forbid(
      'controllers-see-use-cases-only',
      'a controller reaches no repository, queue or client',
      { path: '\\.controller\\.ts$' },
      { path: '^libs/(persistence|queue|federation/client)/' },
    ),
    forbid(
      'apps-do-not-import-apps',
      'standalone composes their modules; nobody else imports another app',
      { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      { path: '^apps/', pathNot: '^apps/$1/' },
    ),
    forbid(
      'libraries-do-not-import-apps',
      'only the testing library starts apps',
      { path: '^libs/', pathNot: '^libs/testing/' },
      { path: '^apps/' },
    ),
    forbid(
      'libraries-through-their-index',
      'a library is imported through src/index.ts',
      { path: '^libs/((?:ocs|federation)/[^/]+|[^/]+)/' },
      { path: '^libs/', pathNot: ['^libs/$1/', INDEX, RIGS] },
    ),
    forbid(
      'apps-import-libraries-through-their-index',
      'a library is imported through src/index.ts',
      { path: '^apps/' },
      { path: '^libs/', pathNot: [INDEX, RIGS] },
    ),
    forbid(
      'only-rigs-start-something',
      'fakes, contracts and partners of the testing library work without the product and its database',
      { path: '^libs/testing/src/(fakes|contracts|partners)/' },
      { path: ['^libs/testing/src/rigs/', '^apps/'] },
    ),
    forbid('no-cycles', 'no circular imports', {}, { circular: true }),
    forbid(
      'testing-never-in-production',
      'builders and fakes are for specs',
      { path: '^(apps|libs)/', pathNot: ['^libs/testing/', '\\.spec\\.ts$'] },
      { path: '^libs/testing/' },
    ),
    forbid(
      'everything-resolves',
      'an import that cannot be found',
      { path: '^(apps|libs)/' },
      { couldNotResolve: true },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.depcruise.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
      conditionNames: ['require', 'node', 'import', 'default'],
    },
  },
};
