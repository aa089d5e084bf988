const { default: Sequencer } = require('@jest/test-sequencer');

/** Stories that start many processes: begun last, one of them would go on alone when all else is done. */
const SLOW = [/[\\/]test[\\/]long[\\/]/, /[\\/]test[\\/]runtime[\\/]/, /[\\/]test[\\/]/];
const rank = ({ path }) => SLOW.findIndex((kind) => kind.test(path)) + 1 || SLOW.length + 1;

/** The slow stories first; otherwise Jest's own order, which on a fresh clone knows no times and goes by sizes. */
module.exports = class SlowStoriesFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
