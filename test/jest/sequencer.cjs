const { default: Sequencer } = require('@jest/test-sequencer');

/** Specs that start many processes. If one of them began last, it would run alone after all others. */
const SLOW = [/[\\/]test[\\/]long[\\/]/, /[\\/]test[\\/]runtime[\\/]/, /[\\/]test[\\/]/];
const rank = ({ path }) => SLOW.findIndex((kind) => kind.test(path)) + 1 || SLOW.length + 1;

/** The slow specs first, then Jest's own order; on a fresh clone Jest knows no times and sorts by size. */
module.exports = class SlowStoriesFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
