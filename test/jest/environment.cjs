const { TestEnvironment: NodeEnvironment } = require('jest-environment-node');
const { keepPure } = require('./keep-pure.cjs');

const given = { ...process.env };
let kept;

/**
 * One realm for all specs of a worker, so that they share the packages and the product loaded into it (./runtime.cjs, ADR 0271). Changes
 * of a spec file in it are undone before the next one.
 */
module.exports = class KeptEnvironment extends NodeEnvironment {
  // oxlint-disable-next-line constructor-super -- it returns the kept environment
  constructor(config, context) {
    if (kept === undefined) {
      super(config, context);
      const { exit, cwd, chdir } = this.global.process;
      this.atStart = {
        symbols: new Set(Object.getOwnPropertySymbols(this.global)),
        functions: { exit, cwd, chdir },
      };
      kept = this;
    }
    kept.isPure = config.projectConfig.displayName.name === 'pure';
    return kept;
  }

  async setup() {
    this.fakeTimersModern.useRealTimers();
    this.forgetLastSpec();
    const { env } = this.global.process;
    for (const name of Object.keys(env)) if (!(name in given)) delete env[name];
    Object.assign(env, given);
    keepPure(this.isPure);
  }

  /**
   * Drops what Jest keeps of an earlier spec file in the realm: with it, all modules and gateways of that file would stay in memory, and its
   * listeners would be called for each test of this one.
   */
  forgetLastSpec() {
    const { global } = this;
    // Listeners for the events of tests.
    for (const symbol of Object.getOwnPropertySymbols(global))
      if (!this.atStart.symbols.has(symbol)) delete global[symbol];
    // They are wrapped again for each spec file.
    Object.assign(global.process, this.atStart.functions);
    // Values of replaced or deleted properties wait here for a teardown that never comes.
    this._globalProxy.leftovers = [];
  }

  /** The next spec file uses the same realm. */
  async teardown() {
    keepPure(false);
  }
};
