const { TestEnvironment: NodeEnvironment } = require('jest-environment-node');
const { keepPure } = require('./keep-pure.cjs');

/** A separate realm for each pure spec file (ADR 0068), without processes and connections. */
module.exports = class PureEnvironment extends NodeEnvironment {
  async setup() {
    await super.setup();
    keepPure(true);
  }

  async teardown() {
    keepPure(false);
    await super.teardown();
  }
};
