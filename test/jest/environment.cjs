const { TestEnvironment: NodeEnvironment } = require('jest-environment-node');

let kept;

/** One realm for all spec files of a worker, so that they can share what is loaded into it (see ./runtime.cjs). */
module.exports = class KeptEnvironment extends NodeEnvironment {
  constructor(config, context) {
    if (kept !== undefined) return kept;
    super(config, context);
    kept = this;
  }

  async setup() {
    // The entities of an earlier spec file are other classes than those of this one.
    delete this.global.typeormMetadataArgsStorage;
  }

  async teardown() {}
};
