const { TestEnvironment: NodeEnvironment } = require('jest-environment-node');

const given = { ...process.env };
let kept;

/**
 * One realm for the adapter and system specs of a worker, so that they share the packages loaded into it
 * (./runtime.cjs, ADR 0068). Changes of a spec file in it are undone before the next one.
 */
module.exports = class KeptEnvironment extends NodeEnvironment {
  constructor(config, context) {
    if (kept === undefined) {
      super(config, context);
      kept = this;
    }
    return kept;
  }

  async setup() {
    this.fakeTimersModern.useRealTimers();
    const { env } = this.global.process;
    for (const name of Object.keys(env)) if (!(name in given)) delete env[name];
    Object.assign(env, given);
  }

  /** The next spec file uses the same realm. */
  async teardown() {}
};
