const { TestEnvironment: NodeEnvironment } = require('jest-environment-node');
const { keepPure } = require('./keep-pure.cjs');

const given = { ...process.env };
let kept;

/**
 * One realm for all spec files of a worker, so that they can share what is loaded into it (see ./runtime.cjs). What a
 * spec file may leave behind in it is put back before the next one.
 */
module.exports = class KeptEnvironment extends NodeEnvironment {
  constructor(config, context) {
    if (kept === undefined) {
      super(config, context);
      kept = this;
    }
    kept.level = config.projectConfig.displayName.name;
    return kept;
  }

  async setup() {
    // The entities of an earlier spec file are other classes than those of this one.
    delete this.global.typeormMetadataArgsStorage;
    keepPure(this.level === 'pure');
    this.fakeTimersModern.useRealTimers();
    const { env } = this.global.process;
    for (const name of Object.keys(env)) if (!(name in given)) delete env[name];
    Object.assign(env, given);
  }

  async teardown() {
    keepPure(false);
  }
};
