const { TestEnvironment: NodeEnvironment } = require('jest-environment-node');
const { keepPure } = require('./keep-pure.cjs');

/** A realm of its own for each pure spec file (ADR 0068), in which nothing is opened. */
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
